#include "source/python_document.h"

#include "base/text.h"
#include "source/node_writer.h"
#include "source/tree_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint {
namespace {

using python::Kind;
using python::Object;
using python::Value;

/// OmegaConf's word for a value that must come from elsewhere.
constexpr std::string_view kUnknown = "???";

/// Writes a value as nodes. Positions are those of the joined text of all parts.
class PythonWriter {
 public:
  PythonWriter(const python::Interpreter& interpreter, std::span<const PythonPart> parts,
               const ReadLimits& limits)
      : in_(interpreter), parts_(parts), limits_(limits) {
    for (const PythonPart& part : parts) {
      bases_.push_back(static_cast<std::uint32_t>(storage_.text.size()));
      if (parts.size() > 1) storage_.parts.push_back({bases_.back(), part.shown, 0});
      for (const python::CommentRange& comment : part.comments) {
        storage_.comments.push_back({bases_.back() + comment.begin, bases_.back() + comment.end});
      }
      storage_.text += part.text;
      storage_.text += parts.size() > 1 ? "\n" : "";
    }
  }

  Document finish(const Value& value, std::string path, FileId file) && {
    storage_.path = std::move(path);
    storage_.format = Format::python;
    storage_.roots.push_back(write(value, kNoNode, {}, 0));
    std::vector<Problem> problems;
    if (full_) {
      problems.push_back({ProblemKind::limit, 0, 0, kNoNode, kNoNode,
                          "more keys and values than gpulint reads; the rest was left out"});
    }
    return Document::own(std::move(storage_), std::move(problems), file);
  }

 private:
  struct Place {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  Place place(const SourceSpan& span, Place otherwise) const {
    for (std::size_t i = 0; span.known() && i < parts_.size(); ++i) {
      if (parts_[i].file == span.file && span.end <= parts_[i].text.size()) {
        return {bases_[i] + span.begin, bases_[i] + span.end};
      }
    }
    return otherwise;
  }

  NodeId add(NodeKind kind, NodeId parent, Place at) {
    const NodeId id = add_node(storage_, kind, parent, at.begin, at.end);
    full_ = full_ || storage_.nodes.size() > limits_.max_nodes;
    return id;
  }

  void set_text(NodeId id, std::string_view text, bool quoted) {
    storage_.nodes[id].quoting = quoted ? Quoting::double_quoted : Quoting::plain;
    set_pooled_value(storage_, id, text);
  }

  bool is_shown(const python::Entry& entry) const {
    if (in_.text(entry.key).starts_with("__")) return false;
    switch (entry.value.kind) {
      case Kind::module:
      case Kind::function:
      case Kind::method:
      case Kind::type:
        return false;
      case Kind::external:
        return entry.value.origin == python::Origin::given || depth_ > 0;
      default:
        return true;
    }
  }

  NodeId write(const Value& value, NodeId parent, Place otherwise, std::uint32_t depth) {
    const Place at = place(value.from, otherwise);
    const bool too_deep = depth > std::min<std::uint32_t>(limits_.max_depth, 64) || full_;
    const bool is_mapping = value.kind == Kind::dict || value.kind == Kind::instance;
    if (is_mapping && !too_deep) return write_mapping(value, parent, at, depth);
    const bool is_list =
        value.kind == Kind::list || value.kind == Kind::tuple || value.kind == Kind::set;
    if (is_list && !too_deep) return write_list(value, parent, at, depth);
    const NodeId id = add(NodeKind::scalar, parent, at);
    write_scalar(id, value);
    return id;
  }

  void write_scalar(NodeId id, const Value& value) {
    switch (value.kind) {
      case Kind::none:
        set_text(id, "null", false);
        return;
      case Kind::boolean:
        set_text(id, value.integer != 0 ? "true" : "false", false);
        return;
      case Kind::integer:
        set_text(id, std::to_string(value.integer), false);
        return;
      case Kind::real:
        set_text(id, fmt::format("{}", value.real), false);
        return;
      case Kind::text:
      case Kind::external:
        set_text(id, in_.text_of(value), true);
        return;
      default:
        set_text(id, kUnknown, false);
        return;
    }
  }

  NodeId write_list(const Value& value, NodeId parent, Place at, std::uint32_t depth) {
    const Object& list = in_.object(value.ref);
    const NodeId id = add(NodeKind::sequence, parent, at);
    storage_.nodes[id].flow = 1;
    NodeId last = kNoNode;
    for (const Value& item : list.items)
      append_child(storage_, id, last, write(item, id, at, depth + 1));
    return id;
  }

  /// `{"<pad>": 0, "a": 1, "b": 2, …}`: words with their places in a list are no settings.
  static bool numbers_words(const Object& object) {
    constexpr std::size_t kFewest = 12;
    if (object.entries.size() < kFewest) return false;
    std::vector<std::int64_t> numbers;
    for (const python::Entry& entry : object.entries) {
      if (entry.value.kind != Kind::integer) return false;
      numbers.push_back(entry.value.integer);
    }
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 1; i < numbers.size(); ++i)
      if (numbers[i] != numbers[i - 1] + 1) return false;
    return true;
  }

  NodeId write_mapping(const Value& value, NodeId parent, Place at, std::uint32_t depth) {
    const Object& object = in_.object(value.ref);
    // An object nobody wrote keys of is a value nobody knows.
    const bool has_none =
        value.kind == Kind::instance && object.entries.empty() && object.made_by == python::kNone;
    if (has_none || numbers_words(object)) {
      const NodeId id = add(NodeKind::scalar, parent, at);
      set_text(id, kUnknown, false);
      return id;
    }
    const NodeId id = add(NodeKind::mapping, parent, at);
    storage_.nodes[id].flow = 1;
    NodeId last = kNoNode;
    if (value.kind == Kind::instance && object.made_by != python::kNone) {
      Value name;
      name.kind = Kind::external;
      name.ref = object.made_by;
      member(id, last, "_target_", at, name, at, depth);
    }
    depth_ = depth;
    for (const python::Entry& entry : object.entries) {
      depth_ = depth;
      if (!is_shown(entry) || full_) continue;
      const Place key = place(entry.key_span, {at.begin, at.begin});
      member(id, last, in_.text(entry.key), key, entry.value, key, depth);
    }
    return id;
  }

  void member(NodeId mapping, NodeId& last, std::string_view name, Place key, const Value& value,
              Place otherwise, std::uint32_t depth) {
    const NodeId key_node = add(NodeKind::scalar, mapping, key);
    set_text(key_node, name, false);
    const NodeId child = write(value, mapping, otherwise, depth + 1);
    append_child(storage_, mapping, last, child, key_node);
  }

  const python::Interpreter& in_;
  std::span<const PythonPart> parts_;
  ReadLimits limits_;
  Document::Storage storage_;
  std::vector<std::uint32_t> bases_;
  std::uint32_t depth_ = 0;
  bool full_ = false;
};

/// A config alone has no project around it.
class LoneHost : public python::Host {
 public:
  const python::Module* module(const std::string&) override { return nullptr; }
  bool is_folder(const std::string&) override { return false; }
  python::Behaviour behaviour(std::string_view name) override { return config_behaviour(name); }
  std::optional<Value> load(python::Interpreter&, const Value&, std::string_view) override {
    return std::nullopt;
  }
  std::optional<Value> entry_config(python::Interpreter&,
                                    std::span<const python::Argument>) override {
    return std::nullopt;
  }
  void called(python::Interpreter&, const python::Call&) override {}
  void looped(python::Interpreter&, const python::Loop&) override {}
};

const python::Entry* find_name(python::Interpreter& in, python::ObjectId scope, const char* name) {
  return in.find(scope, in.intern(name));
}

}  // namespace

python::Behaviour config_behaviour(std::string_view name) {
  using python::Behaviour;
  // A call written out as data, whose last part says what it is.
  constexpr std::array<std::pair<std::string_view, Behaviour>, 14> kLast = {{
      {"LazyCall", Behaviour::same},
      {"ConfigDict", Behaviour::mapping},
      {"FrozenConfigDict", Behaviour::mapping},
      {"EasyDict", Behaviour::mapping},
      {"edict", Behaviour::mapping},
      {"SimpleNamespace", Behaviour::mapping},
      {"Namespace", Behaviour::mapping},
      {"Munch", Behaviour::mapping},
      {"DotMap", Behaviour::mapping},
      {"CfgNode", Behaviour::mapping},
      {"Box", Behaviour::mapping},
      {"deepcopy", Behaviour::copy},
      {"dataclass", Behaviour::fields},
      {"placeholder", Behaviour::none},
  }};
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  for (const auto& [word, how] : kLast) {
    if (word == last) return how;
  }
  return Behaviour::none;
}

python::Value python_config(python::Interpreter& interpreter, const python::Module& module) {
  const python::ObjectId scope = interpreter.run(module, false);
  Value names;
  names.kind = Kind::dict;
  names.ref = scope;
  if (const python::Entry* function = find_name(interpreter, scope, "get_config")) {
    if (function->value.kind == Kind::function) {
      const Value made = interpreter.call_of(function->value);
      if (made.kind == Kind::dict) return made;
    }
  }
  if (const python::Entry* type = find_name(interpreter, scope, "Exp")) {
    if (type->value.kind == Kind::type) {
      const Value made = interpreter.call_of(type->value);
      if (made.kind == Kind::instance && !interpreter.object(made.ref).entries.empty()) return made;
    }
  }
  return names;
}

Document python_document(const python::Interpreter& interpreter, const python::Value& value,
                         std::string path, std::span<const PythonPart> parts,
                         const ReadLimits& limits) {
  const FileId file = parts.front().shown;
  return PythonWriter(interpreter, parts, limits).finish(value, std::move(path), file);
}

Result<Document> read_python(std::string path, std::string text, FileId file,
                             const ReadLimits& limits) {
  if (Result<void> usable = check_text(path, text, file, limits); !usable) {
    return fail(usable.error());
  }
  python::Module module;
  module.path = path;
  module.text = std::move(text);
  // The same text may be a file of another number later: what is made here has none.
  module.file = 0;
  module.tree = python::parse(module.text);
  LoneHost host;
  python::Interpreter interpreter(host, {});
  const Value config = python_config(interpreter, module);
  const std::array<PythonPart, 1> parts = {PythonPart{0, module.text, 0, module.tree.comments()}};
  return python_document(interpreter, config, std::move(path), parts, limits).as_file(file);
}

}  // namespace gpulint
