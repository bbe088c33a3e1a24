// Commands that a file of YAML carries: the tasks of a cluster's scheduler, containers, steps of a
// workflow. What such files look like is data (`carried` in knowledge/launchers); here their texts
// become shell scripts whose bytes know where the file states them.

#include "base/text.h"
#include "launch/carried_commands.h"
#include "launch/carried_words.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostUnits = 64;
constexpr std::size_t kMostVisited = 20'000;  // nodes, while units are looked for
constexpr std::string_view kUnderAnything = "**";

/// Visits what a path with `*` and `**` leads to; `visit` says whether to go on.
class PathWalk {
 public:
  using Visit = std::function<bool(NodeId)>;

  PathWalk(const Document& document, Visit visit) : document_(document), visit_(std::move(visit)) {}

  void walk(NodeId node, std::span<const std::string_view> path) {
    if (done_ || node == kNoNode || ++visited_ > kMostVisited) return;
    if (path.empty()) {
      done_ = !visit_(node);
      return;
    }
    const std::span<const std::string_view> rest = path.subspan(1);
    if (path.front() == kUnderAnything) {
      walk(node, rest);
      for_each_child(node, [&](std::string_view, NodeId child) { walk(child, path); });
      return;
    }
    for_each_child(node, [&](std::string_view key, NodeId child) {
      if (path.front() == "*" || path.front() == key) walk(child, rest);
    });
  }

 private:
  template <class Each>
  void for_each_child(NodeId node, const Each& each) {
    if (document_.kind(node) == NodeKind::mapping) {
      for (const Member& member : document_.members(node)) {
        if (member.value != kNoNode) each(document_.scalar(member.key), member.value);
      }
    } else if (document_.kind(node) == NodeKind::sequence) {
      for (const NodeId item : document_.items(node)) each("*", item);
    }
  }

  const Document& document_;
  Visit visit_;
  std::size_t visited_ = 0;
  bool done_ = false;
};

std::vector<std::string_view> parts_of(std::string_view path) {
  if (path.empty()) return {};
  return split(path, '.');
}

bool has(const Document& document, NodeId root, std::string_view path) {
  bool found = false;
  const std::vector<std::string_view> parts = parts_of(path);
  PathWalk(document, [&](NodeId) {
    found = true;
    return false;
  }).walk(root, parts);
  return found;
}

bool is_of_form(const Document& document, NodeId root, const CarrierForm& form) {
  const auto is_there = [&](const std::string& path) { return has(document, root, path); };
  return std::all_of(form.all.begin(), form.all.end(), is_there) &&
         (form.any.empty() || std::any_of(form.any.begin(), form.any.end(), is_there)) &&
         std::none_of(form.none.begin(), form.none.end(), is_there);
}

/// What only the runner of the file fills in is unknown: `${{ matrix.lr }}`, `{{inputs.lr}}`.
ShellText without_templates(const ShellText& text) {
  ShellText made;
  for (std::uint32_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text.bytes).substr(at);
    const bool opens = rest.starts_with("{{") || rest.starts_with("${{");
    const std::size_t close = opens ? rest.find("}}") : rest.npos;
    if (close == rest.npos) {
      made.add(text.bytes[at], text.origins[at]);
      ++at;
    } else {
      made.add(ShellText::unknown(text.origins[at]));
      at += static_cast<std::uint32_t>(close) + 2;
    }
  }
  return made;
}

/// `$(NAME)` of a container's words is a variable; no shell sees them.
ShellText with_variables(const ShellText& word, const ShellVariables& variables) {
  ShellText made;
  for (std::uint32_t at = 0; at < word.size();) {
    const std::string_view rest = std::string_view(word.bytes).substr(at);
    const std::size_t close = rest.starts_with("$(") ? rest.find(')') : rest.npos;
    const std::string_view name = close == rest.npos ? "" : rest.substr(2, close - 2);
    const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), is_name_part);
    if (!is_name) {
      made.add(word.bytes[at], word.origins[at]);
      ++at;
      continue;
    }
    const auto known = std::find_if(variables.rbegin(), variables.rend(),
                                    [&](const auto& each) { return each.first == name; });
    if (known == variables.rend()) {
      made.add(ShellText::unknown(word.origins[at]));
    } else {
      made.add(known->second);
    }
    at += static_cast<std::uint32_t>(close) + 1;
  }
  return made;
}

class UnitReader {
 public:
  UnitReader(const Document& document, const Launcher& carrier)
      : document_(document), carrier_(carrier), form_(*carrier.carried) {}

  std::optional<CarriedCommands> read(NodeId unit) const {
    CarriedCommands made;
    made.carrier = &carrier_;
    for (const auto& [name, value] : form_.given)
      made.variables.emplace_back(name, ShellText::computed(value));
    const std::vector<NodeId> levels = levels_of(unit);
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
      for (const std::string& key : form_.variables)
        add_variables(find_dotted(document_, *level, key), made.variables);
    }
    ShellText script = command_of_words(unit, made.variables);
    for (const std::string& key : form_.scripts) {
      add_script(find_dotted(document_, unit, key), script);
    }
    if (script.empty()) return std::nullopt;
    made.script = std::move(script);
    made.flags = flags_around(levels);
    return made;
  }

 private:
  /// The unit, then what is around it.
  std::vector<NodeId> levels_of(NodeId unit) const {
    std::vector<NodeId> levels;
    for (NodeId at = unit; at != kNoNode; at = document_.node(at).parent) {
      if (document_.kind(at) == NodeKind::mapping) levels.push_back(at);
    }
    return levels;
  }

  void add_variables(NodeId node, ShellVariables& variables) const {
    if (document_.kind(node) == NodeKind::mapping && node != kNoNode) {
      for (const Member& member : document_.members(node)) {
        if (document_.kind(member.value) == NodeKind::scalar && member.value != kNoNode)
          variables.emplace_back(std::string(document_.scalar(member.key)),
                                 without_templates(scalar_text(document_, member.value)));
      }
    } else if (document_.kind(node) == NodeKind::sequence) {
      for (const NodeId item : document_.items(node)) add_variable(item, variables);
    }
  }

  /// `{name: LR, value: "0.1"}`, whose value may come from elsewhere, or `LR=0.1`.
  void add_variable(NodeId item, ShellVariables& variables) const {
    if (document_.kind(item) == NodeKind::mapping) {
      const NodeId name = document_.find(item, "name");
      const NodeId value = document_.find(item, "value");
      if (name == kNoNode) return;
      variables.emplace_back(std::string(document_.scalar(name)),
                             value == kNoNode ? ShellText::unknown(document_.node(item).begin)
                                              : without_templates(scalar_text(document_, value)));
    } else if (document_.kind(item) == NodeKind::scalar) {
      const ShellText text = without_templates(scalar_text(document_, item));
      const std::size_t equals = text.bytes.find('=');
      if (equals == std::string::npos) return;
      variables.emplace_back(text.bytes.substr(0, equals),
                             text.part({static_cast<std::uint32_t>(equals) + 1,
                                        static_cast<std::uint32_t>(text.size())}));
    }
  }

  ShellText command_of_words(NodeId unit, const ShellVariables& variables) const {
    ShellText command;
    bool has_words = false;
    for (const std::string& key : form_.words) {
      const NodeId node = find_dotted(document_, unit, key);
      if (node == kNoNode) continue;
      has_words = true;
      if (!command.empty()) command.add(' ', command.origins.back());
      if (document_.kind(node) == NodeKind::scalar) {
        add_folded(without_templates(scalar_text(document_, node)), command);
      } else if (document_.kind(node) == NodeKind::sequence) {
        for (const NodeId item : document_.items(node)) {
          if (document_.kind(item) != NodeKind::scalar) continue;
          if (const CarriedWord* by = carried_word(document_.scalar(item))) {
            add_carried_word(document_, unit, *by, command);
            continue;
          }
          const ShellText word = without_templates(scalar_text(document_, item));
          if (!command.empty()) command.add(' ', command.origins.back());
          const ShellText whole = with_variables(word, variables);
          command.add_quoted(whole, whole.empty() ? kNowhere : whole.origins.front());
        }
      }
    }
    for (const std::string& word : form_.otherwise) {
      const CarriedWord* by = has_words ? nullptr : carried_word(word);
      if (by != nullptr) add_carried_word(document_, unit, *by, command);
    }
    return command;
  }

  const CarriedWord* carried_word(std::string_view written) const {
    const auto found =
        std::find_if(form_.stands_for.begin(), form_.stands_for.end(),
                     [&](const CarriedWord& each) { return each.name == trim(written); });
    return found == form_.stands_for.end() ? nullptr : &*found;
  }

  /// Words over several lines are one command all the same.
  static void add_folded(const ShellText& text, ShellText& command) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text.bytes[i];
      command.add(
          c == '\n' || (c == '\\' && i + 1 < text.size() && text.bytes[i + 1] == '\n') ? ' ' : c,
          text.origins[i]);
    }
  }

  void add_script(NodeId node, ShellText& script) const {
    if (node == kNoNode) return;
    if (document_.kind(node) == NodeKind::sequence) {
      for (const NodeId item : document_.items(node)) {
        if (document_.kind(item) == NodeKind::scalar) add_script(item, script);
      }
    } else if (document_.kind(node) == NodeKind::scalar) {
      if (!script.empty()) script.add('\n', script.origins.back());
      script.add(without_templates(scalar_text(document_, node)));
    }
  }

  /// Values of the keys that mean something, of the unit or of what is around it.
  FlagTree flags_around(const std::vector<NodeId>& levels) const {
    FlagTree flags;
    for (const auto& [name, keys] : form_.sums) {
      for (const NodeId level : levels) {
        if (add_sum(level, name, keys, flags)) break;
      }
    }
    const auto add = [&](const std::string& path) {
      for (const NodeId level : levels) {
        const NodeId found = find_dotted(document_, level, path);
        if (found == kNoNode || !add_value(found, path, flags)) continue;
        break;
      }
    };
    for (const KeyMapping& key : carrier_.facts.mapping->keys.all()) add(key.path);
    return flags;
  }

  /// A scalar; `{A100: 8}` is `A100:8`, and a list is a choice nobody has made.
  bool add_value(NodeId node, const std::string& path, FlagTree& flags) const {
    FlagNode flag;
    flag.written = ShellText::of("", 0);
    if (document_.kind(node) == NodeKind::scalar) {
      flag.items = {without_templates(scalar_text(document_, node))};
    } else if (document_.kind(node) == NodeKind::mapping && document_.members(node).size() == 1) {
      const Member only = document_.members(node).front();
      if (only.value == kNoNode || document_.kind(only.value) != NodeKind::scalar) return false;
      ShellText value = scalar_text(document_, only.key);
      value.add(':', kNowhere);
      value.add(scalar_text(document_, only.value));
      flag.items = {std::move(value)};
    } else {
      return false;
    }
    flag.is_unknown = !flag.items.front().known();
    if (flag.is_unknown) flag.items.clear();
    flags.add(path, std::move(flag));
    return true;
  }

  bool add_sum(NodeId level, const std::string& name, const std::vector<std::string>& keys,
               FlagTree& flags) const {
    std::int64_t sum = 0;
    ShellText last;
    for (const std::string& key : keys) {
      const NodeId node = find_dotted(document_, level, key);
      if (node == kNoNode) continue;
      const std::string_view text = document_.scalar(node);
      std::int64_t count = 0;
      const char* end = text.data() + text.size();
      if (text.empty() || std::from_chars(text.data(), end, count).ptr != end || count < 0 ||
          count > 1'000'000)
        return false;
      sum += count;
      last = scalar_text(document_, node);
    }
    if (last.empty()) return false;
    ShellText value = ShellText::computed(std::to_string(sum));
    value.origins.assign(value.size(), last.origins.front());
    FlagNode flag;
    flag.items = {std::move(value)};
    flags.add(name, std::move(flag));
    return true;
  }

  const Document& document_;
  const Launcher& carrier_;
  const CarrierForm& form_;
};

}  // namespace

const Launcher* carrier_of(const Document& document, std::span<const Launcher* const> launchers) {
  for (const Launcher* launcher : launchers) {
    if (!launcher->carried) continue;
    for (const NodeId root : document.roots()) {
      const bool may_hold_units = document.kind(root) != NodeKind::scalar;
      if (may_hold_units && is_of_form(document, root, *launcher->carried))
        return launcher;
    }
  }
  return nullptr;
}

std::vector<CarriedCommands> unit_commands(const Document& document, const Launcher& carrier) {
  std::vector<CarriedCommands> made;
  std::vector<NodeId> seen;
  const UnitReader reader(document, carrier);
  for (const NodeId root : document.roots()) {
    if (!is_of_form(document, root, *carrier.carried)) continue;
    for (const std::string& path : carrier.carried->units) {
      const std::vector<std::string_view> parts = parts_of(path);
      PathWalk(document, [&](NodeId unit) {
        if (document.kind(unit) != NodeKind::mapping ||
            std::find(seen.begin(), seen.end(), unit) != seen.end())
          return true;
        seen.push_back(unit);
        if (auto commands = reader.read(unit)) made.push_back(std::move(*commands));
        return made.size() < kMostUnits;
      }).walk(root, parts);
    }
  }
  return made;
}

}  // namespace gpulint
