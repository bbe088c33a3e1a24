#include "plan/run_changes.h"

#include "base/text.h"

#include <utility>

namespace gpulint {
namespace {

class ChangeReader {
 public:
  ChangeReader(const RunRequest& request, std::string_view config)
      : request_(request), config_(config) {}

  RunChanges read() && {
    if (request_.command != nullptr) read_command();
    read_overrides();
    return std::move(made_);
  }

 private:
  /// What a command changes in the config it starts: weaker than what is asked for by hand.
  void read_command() {
    const RunCommand& command = *request_.command;
    made_.removed.insert(made_.removed.end(), command.removed.begin(), command.removed.end());
    made_.chosen.insert(made_.chosen.end(), command.chosen.begin(), command.chosen.end());
    if (command.overrides == nullptr) return;
    const Document& document = *command.overrides;
    const NodeId top = top_of(document);
    add_changes(document, top);
    if (document.node(top).child_count > 0) made_.by_command = &document;
  }

  /// The keys of a command but for options of groups, which stand for whole files.
  void add_changes(const Document& document, NodeId top) {
    const auto is_option = [&](NodeId child) {
      const std::string_view key = document.scalar(document.node(child).key);
      return document.kind(child) == NodeKind::scalar && names_a_group(key);
    };
    std::vector<NodeId> others;
    bool has_options = false;
    for (NodeId child = document.node(top).first_child; child != kNoNode;
         child = document.node(child).next_sibling) {
      if (is_option(child)) {
        has_options = true;
      } else {
        others.push_back(child);
      }
    }
    if (!has_options) {
      made_.layers.push_back({&document, top, {}});
      return;
    }
    for (const NodeId child : others)
      made_.layers.push_back(
          {&document, child, {std::string(document.scalar(document.node(child).key))}});
  }

  void read_overrides() {
    for (const std::string& text : request_.overrides) {
      const auto change = parse_override(text);
      if (!change) continue;  // the command line refuses these
      if (!change->value) {
        made_.removed.push_back(change->path);
        continue;
      }
      if (change->path.find('.') == std::string::npos) {
        made_.asked.push_back(*change);
        made_.chosen.emplace_back(change->path, *change->value);
      }
      auto document = read_yaml("", *change->value, kNoFile);
      if (!document || document->root() == kNoNode) continue;
      made_.made.push_back(std::make_unique<Document>(std::move(*document)));
      const Document& value = *made_.made.back();
      if (!chooses_a_group(*change)) {
        made_.layers.push_back({&value, top_of(value), dotted_parts(change->path)});
      }
    }
  }

  /// `model=large` where `model` is a folder of options beside the config.
  bool chooses_a_group(const Override& change) const {
    return change.path.find('.') == std::string::npos && names_a_group(change.path);
  }

  bool names_a_group(std::string_view name) const {
    if (request_.files == nullptr || name.empty()) return false;
    const std::string folder = join_path(parent_path(config_), name);
    return request_.files->kind(normalize_path(folder)) == FileKind::directory;
  }

  const RunRequest& request_;
  std::string_view config_;
  RunChanges made_;
};

}  // namespace

bool has_changes(const RunRequest& request) {
  const RunCommand* command = request.command;
  return !request.overrides.empty() ||
         (command != nullptr &&
          ((command->overrides != nullptr &&
            command->overrides->node(top_of(*command->overrides)).child_count > 0) ||
           !command->removed.empty()));
}

RunChanges changes_of(const RunRequest& request, std::string_view config) {
  return ChangeReader(request, config).read();
}

}  // namespace gpulint
