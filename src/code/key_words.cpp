#include "code/key_words.h"

#include "base/text.h"
#include "python/reach.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace gpulint {
namespace {

using python::kNoSyntax;
using python::Syntax;
using python::SyntaxId;
using python::SyntaxNode;

class WordReader {
 public:
  WordReader(const python::Module& module, KeyWords& words)
      : module_(module), tree_(module.tree), words_(words) {}

  /// `names`: of everything that is used, as far as it may be run.
  WordReader(const python::Module& module, KeyWords& words, const std::vector<std::uint8_t>* marks,
             std::unordered_set<std::string_view>* names, bool closes_methods)
      : module_(module),
        tree_(module.tree),
        words_(words),
        marks_(marks),
        names_(names),
        closes_methods_(closes_methods) {}

  WordReader(const python::Module& module, const OptionReading& options, KeyWords& words)
      : module_(module), tree_(module.tree), words_(words), options_(&options) {
    note_outside();
  }

  void read() {
    if (tree_.size() == 0) return;
    walk(tree_.root(), Syntax::block, 0);
    add_origins_of_names();
  }

  /// All but functions and classes at the top, which are handed back.
  std::vector<SyntaxId> read_outside() {
    walk(tree_.root(), Syntax::block, 0);
    return std::exchange(set_aside_, {});
  }

  /// Hands back the methods of a class that nothing but its own code may call.
  std::vector<SyntaxId> read_inside(SyntaxId definition) {
    inside_ = definition;
    walk(definition, Syntax::block, 0);
    if (!closes_methods_) add_origins_of_names();
    return std::exchange(set_aside_, {});
  }

  const python::Module& module() const { return module_; }

  /// Something uses a function or class of this name, or nobody knows what its decorator does.
  bool is_named(SyntaxId definition) const {
    return names_->contains(tree_.text(definition)) || is_decorated(definition) ||
           has_run_inside(definition);
  }

 private:
  bool takes_parameters() const { return options_ == nullptr || options_->are_unpacked; }

  /// `self.test()` calls a method, and `np.random.seed` belongs to a package: no option is read.
  bool is_of_no_option(SyntaxId id, Syntax parent, std::size_t index) const {
    if (options_ == nullptr) return false;
    if (parent == Syntax::call && index == 0) return true;
    SyntaxId root = tree_.node(id).first;
    while (tree_.node(root).kind == Syntax::attribute) root = tree_.node(root).first;
    return tree_.node(root).kind == Syntax::name && outside_.contains(tree_.text(root));
  }

  /// Names that the file imports packages by which do not lie in the project.
  void note_outside() {
    for (SyntaxId id = 0; id < tree_.size(); ++id) {
      if (tree_.node(id).kind != Syntax::import) continue;
      for (SyntaxId alias = tree_.node(id).first; alias != kNoSyntax;
           alias = tree_.node(alias).next) {
        const std::string_view dotted = tree_.text(alias);
        const std::string_view top = dotted.substr(0, dotted.find('.'));
        if (options_->project.contains(std::string(top))) continue;
        outside_.insert(tree_.node(alias).first == kNoSyntax ? top : tree_.bound_name(alias));
      }
    }
  }

  static bool is_store(Syntax parent, std::size_t index, bool is_last) {
    if (parent == Syntax::assign) return !is_last;
    return (parent == Syntax::annotated || parent == Syntax::for_loop) && index == 0;
  }

  /// `index`: of the child among its siblings.
  void walk(SyntaxId id, Syntax parent, std::size_t index) {
    const SyntaxNode& node = tree_.node(id);
    const bool is_stored = is_store(parent, index, node.next == kNoSyntax);
    const std::uint8_t mark = marks_ == nullptr ? std::uint8_t{0} : (*marks_)[id];
    if (python::Reach::is_left_out(mark)) return;
    const bool is_definition = node.kind == Syntax::function || node.kind == Syntax::class_type;
    const bool is_method = closes_methods_ && node.kind == Syntax::function && id != inside_ &&
                           inside_ != kNoSyntax && is_plain_class(inside_) &&
                           !tree_.text(id).starts_with("__");
    if (names_ != nullptr && is_definition && (inside_ == kNoSyntax || is_method)) {
      set_aside_.push_back(id);
      return;
    }
    add_name(id, node);
    // Only what is named is asked for.
    if (closes_methods_ || is_run(id)) return walk_children(id, node, is_stored);
    if (node.kind == Syntax::keyword && is_prose(tree_.text(id))) return;
    switch (node.kind) {
      case Syntax::attribute:
        if (!is_stored && !is_of_no_option(id, parent, index)) add(tree_.text(id));
        break;
      case Syntax::parameter:
        if (!has_run_ && takes_parameters()) add(tree_.text(id));  // of one that ran, its arguments are known
        break;
      case Syntax::name:
        // A class's field, or a name that `globals()` or a loader's module may hand on.
        if (parent == Syntax::annotated && index == 0 && takes_parameters()) add(tree_.text(id));
        break;
      case Syntax::string:
        if (!is_silent_string(parent)) add_string(tree_.text(id));
        break;
      case Syntax::formatted:
        add_pieces(id);
        break;
      case Syntax::double_star:
        add_unpacked(id);
        break;
      case Syntax::error:
        // Code nobody can parse may read anything it names.
        add_all(source_of(node));
        break;
      default:
        break;
    }
    walk_children(id, node, is_stored);
  }

  void walk_children(SyntaxId id, const SyntaxNode& node, bool is_stored) {
    std::size_t at = 0;
    const bool had_run = has_run_;
    if (node.kind == Syntax::function) has_run_ = is_run(tree_.child(id, 1));
    for (SyntaxId child = node.first; child != kNoSyntax; child = tree_.node(child).next, ++at) {
      const bool is_stored_key = is_stored && node.kind == Syntax::subscript && at == 1;
      const bool is_asked_for = node.kind == Syntax::compare && at == 0 &&
                                static_cast<python::Operator>(node.op) == python::Operator::not_in;
      const bool is_plain_string = tree_.node(child).kind == Syntax::string;
      // `cfg["a"] = 1` and `if "a" not in cfg` read nothing.
      if (is_plain_string && (is_stored_key || is_asked_for)) continue;
      walk(child, tree_.node(id).kind, at);
    }
    has_run_ = had_run;
  }

  void add_name(SyntaxId id, const SyntaxNode& node) {
    if (names_ == nullptr) return;
    if (node.kind == Syntax::name || node.kind == Syntax::attribute) {
      names_->emplace(tree_.text(id));
    } else if (node.kind == Syntax::string && is_plain_name(tree_.text(id))) {
      names_->emplace(tree_.text(id));
    }
  }

  static bool is_plain_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_name_part);
  }

  /// Decorators stand behind the body; bases stand before it.
  bool is_decorated(SyntaxId definition) const {
    const SyntaxId body = tree_.child(definition, 1);
    return body != kNoSyntax && tree_.node(body).next != kNoSyntax;
  }

  bool has_run_inside(SyntaxId definition) const {
    if (tree_.node(definition).kind == Syntax::function) {
      const SyntaxId statements = tree_.child(definition, 1);
      return statements != kNoSyntax && is_run(tree_.node(statements).first);
    }
    const SyntaxId body = tree_.child(definition, 1);
    for (SyntaxId at = body == kNoSyntax ? kNoSyntax : tree_.node(body).first; at != kNoSyntax;
         at = tree_.node(at).next) {
      if (tree_.node(at).kind == Syntax::function && has_run_inside(at)) return true;
    }
    return false;
  }

  bool is_run(SyntaxId id) const {
    return marks_ != nullptr && id != kNoSyntax && ((*marks_)[id] & python::Reach::kRan) != 0;
  }

  /// It extends nothing, so no code of a library asks for a method of it.
  bool is_plain_class(SyntaxId id) const {
    if (tree_.node(id).kind != Syntax::class_type) return false;
    const SyntaxId base = tree_.node(tree_.node(id).first).first;
    if (base == kNoSyntax) return true;
    return tree_.node(base).next == kNoSyntax && tree_.text(base) == "object";
  }

  /// What a parser tells its users.
  static bool is_prose(std::string_view argument) {
    return argument == "help" || argument == "description" || argument == "epilog";
  }

  /// Of a docstring, nobody reads a key.
  static bool is_silent_string(Syntax parent) { return parent == Syntax::expression; }

  std::string_view source_of(const SyntaxNode& node) const {
    return tree_.source().substr(node.begin, node.end - node.begin);
  }

  void add(std::string_view word) {
    if (!word.empty()) words_.read.insert(to_lower(word));
  }

  void add_string(std::string_view text) {
    constexpr std::size_t kLongest = 4'000;  // longer ones are prose
    if (text.size() > kLongest) return;
    add_all(text);
    if (text.size() > 2 && text.ends_with('_')) words_.beginnings.push_back(to_lower(text));
    if (text.size() > 2 && text.starts_with('_')) words_.endings.push_back(to_lower(text));
  }

  void add_all(std::string_view text) {
    for (const std::string& word : names_in(text)) add(word);
  }

  /// f"use_{name}" reads every key that begins so.
  void add_pieces(SyntaxId id) {
    const std::string_view text = source_of(tree_.node(id));
    add_all(text);
    for (std::size_t at = text.find('{'); at != std::string_view::npos;
         at = text.find('{', at + 1)) {
      std::size_t begin = at;
      while (begin > 0 && is_name_part(text[begin - 1])) --begin;
      if (at - begin > 1) words_.beginnings.push_back(to_lower(text.substr(begin, at - begin)));
    }
    for (std::size_t at = text.find('}'); at != std::string_view::npos;
         at = text.find('}', at + 1)) {
      std::size_t end = at + 1;
      while (end < text.size() && is_name_part(text[end])) ++end;
      if (end - at > 2) words_.endings.push_back(to_lower(text.substr(at + 1, end - at - 1)));
    }
  }

  /// `**cfg.model` and `**cfg["model"]` unpack "model"; a name unpacks whatever it was made of.
  void add_unpacked(SyntaxId id) {
    const SyntaxId of = tree_.node(id).first;
    if (of == kNoSyntax) return;
    if (tree_.node(of).kind == Syntax::name) unpacked_names_.insert(std::string(tree_.text(of)));
    add_unpacked_value(of);
  }

  /// Of a way to a value only where it ends is unpacked: "kwargs" of `cfg["model"].kwargs`.
  void add_unpacked_value(SyntaxId of) {
    const SyntaxNode& value = tree_.node(of);
    if (value.kind == Syntax::attribute || value.kind == Syntax::name) {
      words_.unpacked.insert(to_lower(tree_.text(of)));
      return;
    }
    const SyntaxId index = value.kind == Syntax::subscript ? tree_.child(of, 1) : kNoSyntax;
    const bool is_plain = index != kNoSyntax && tree_.node(index).kind == Syntax::string;
    add_unpacked_words(is_plain ? tree_.text(index) : source_of(value));
  }

  void add_unpacked_words(std::string_view text) {
    for (const std::string& word : names_in(text)) words_.unpacked.insert(to_lower(word));
  }

  /// `params = cfg["optim"]` in front of `AdamW(**params)`.
  void add_origins_of_names() {
    for (SyntaxId id = 0; id < tree_.size() && !unpacked_names_.empty(); ++id) {
      if (tree_.node(id).kind != Syntax::assign) continue;
      bool is_target = false;
      SyntaxId last = kNoSyntax;
      for (SyntaxId child = tree_.node(id).first; child != kNoSyntax;
           child = tree_.node(child).next) {
        if (last != kNoSyntax && tree_.node(last).kind == Syntax::name) {
          is_target = is_target || unpacked_names_.contains(std::string(tree_.text(last)));
        }
        last = child;
      }
      if (is_target && last != kNoSyntax) add_unpacked_value(last);
    }
  }

  const python::Module& module_;
  const python::SyntaxTree& tree_;
  KeyWords& words_;
  const std::vector<std::uint8_t>* marks_ = nullptr;
  std::unordered_set<std::string_view>* names_ = nullptr;
  std::vector<SyntaxId> set_aside_;
  SyntaxId inside_ = kNoSyntax;
  bool closes_methods_ = false;
  bool has_run_ = false;  // the function around
  std::unordered_set<std::string> unpacked_names_;
  const OptionReading* options_ = nullptr;
  std::unordered_set<std::string_view> outside_;
};

}  // namespace

bool adds_key(std::string_view text, std::string_view given) {
  const auto is_part_of_path = [](char c) { return is_name_part(c) || c == '.'; };
  for (std::size_t at = text.find(given); at != text.npos; at = text.find(given, at + 1)) {
    std::size_t begin = at;  // of "model.id=" behind the `+`
    while (begin > 0 && is_part_of_path(text[begin - 1])) --begin;
    if (begin > 0 && text[begin - 1] == '+') return true;
  }
  return false;
}

std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names(1);
  for (const char c : text) {
    if (is_name_part(c) || c == '-') {
      names.back() += c == '-' ? '_' : c;
    } else if (!names.back().empty()) {
      names.emplace_back();
    }
  }
  if (names.back().empty()) names.pop_back();
  return names;
}

bool KeyWords::may_read(std::string_view key) const {
  std::string word = to_lower(key);
  std::replace(word.begin(), word.end(), '-', '_');
  if (read.contains(word)) return true;
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const std::string& each) { return word.starts_with(each); }) ||
         std::any_of(endings.begin(), endings.end(),
                     [&](const std::string& each) { return word.ends_with(each); });
}

void add_key_words(const python::Module& module, KeyWords& words) {
  WordReader(module, words).read();
}

void add_option_words(const python::Module& module, const OptionReading& how, KeyWords& words) {
  WordReader(module, how, words).read();
}

void OpenCode::add(const python::Module& module, const std::vector<std::uint8_t>* marks) {
  if (module.tree.size() > 0) files_.push_back({&module, marks});
}

KeyWords OpenCode::words(const std::unordered_set<std::string>& said) const {
  KeyWords words;
  read(said, words, false);
  return words;
}

std::vector<OpenCode::Definition> OpenCode::closed(
    const std::unordered_set<std::string>& said) const {
  KeyWords words;
  return read(said, words, true);
}

/// Adds the words of all that is open; what is closed is handed back.
std::vector<OpenCode::Definition> OpenCode::read(const std::unordered_set<std::string>& said,
                                                 KeyWords& words, bool closes_methods) const {
  std::deque<WordReader> readers;
  std::unordered_set<std::string_view> names(said.begin(), said.end());
  std::vector<std::pair<WordReader*, SyntaxId>> waiting;  // functions and classes
  for (const File& file : files_) {
    WordReader& reader =
        readers.emplace_back(*file.module, words, file.marks, &names, closes_methods);
    for (const SyntaxId id : reader.read_outside()) waiting.emplace_back(&reader, id);
  }
  for (bool grows = true; grows;) {
    const auto named = std::partition(waiting.begin(), waiting.end(), [&](const auto& each) {
      return !each.first->is_named(each.second);
    });
    grows = named != waiting.end();
    const std::vector<std::pair<WordReader*, SyntaxId>> opened(named, waiting.end());
    waiting.erase(named, waiting.end());
    for (const auto& [reader, definition] : opened) {
      for (const SyntaxId id : reader->read_inside(definition)) waiting.emplace_back(reader, id);
    }
  }
  std::vector<Definition> closed;
  for (const auto& [reader, id] : waiting) closed.push_back({&reader->module(), id});
  return closed;
}

}  // namespace gpulint
