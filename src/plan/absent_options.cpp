#include "plan/absent_options.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/code_base.h"
#include "plan/private_files.h"
#include "source/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

constexpr std::string_view kDefaults = "defaults";
constexpr std::size_t kMostNamed = 8;

bool is_plain_word(std::string_view text) {
  return !text.empty() && text != "null" && std::all_of(text.begin(), text.end(), [](char c) {
    return is_name_part(c) || c == '-' || c == '/' || c == '.';
  });
}

/// Names of the folders, or of the options, in a folder: sorted, as a reader says them.
std::vector<std::string> names_in_folder(const RunFiles& files, const std::string& folder,
                                         FileKind kind) {
  std::vector<std::string> names;
  const auto entries = files.reader().list(folder.empty() ? "." : folder);
  if (!entries) return names;
  for (const DirectoryEntry& entry : *entries) {
    const std::string_view name = entry.name;
    if (entry.kind != kind || name.starts_with('.') || name.starts_with('_')) continue;
    if (kind == FileKind::regular && !is_yaml_file_name(name)) continue;
    names.emplace_back(kind == FileKind::regular ? name.substr(0, name.rfind('.')) : name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string listed(std::vector<std::string> names) {
  const bool is_cut = names.size() > kMostNamed;
  if (is_cut) names.resize(kMostNamed);
  return join(names, ", ") + (is_cut ? ", ..." : "");
}

bool has_search_path(const Document& document) {
  const NodeId hydra = document.find(document.root(), "hydra");
  return hydra != kNoNode && document.kind(document.resolve(hydra)) == NodeKind::mapping &&
         document.find(document.resolve(hydra), "searchpath") != kNoNode;
}

/// Groups may lie elsewhere too.
bool is_composed_here(const Document& own) {
  if (own.root() == kNoNode) return false;
  if (own.kind(own.resolve(own.root())) != NodeKind::mapping) return false;
  const NodeId list = own.find(own.root(), kDefaults);
  return list != kNoNode && own.kind(own.resolve(list)) == NodeKind::sequence &&
         !has_search_path(own);
}

}  // namespace

std::optional<Observation> absent_option(const RunFiles& files, const std::string& folder,
                                         std::string_view group, std::string_view option) {
  if (!is_plain_word(option)) return std::nullopt;
  const auto options = names_in_folder(files, folder, FileKind::regular);
  // `default.example` is there to be copied.
  const auto is_copied = [&](const std::string& name) {
    return name.starts_with(std::string(option) + ".");
  };
  if (options.empty() || std::any_of(options.begin(), options.end(), is_copied))
    return std::nullopt;
  const std::string file = join_path(folder, std::string(option) + ".yaml");
  if (may_be_private(files.reader(), file)) return std::nullopt;
  Observation item;
  item.list = "absent_options";
  item.name = std::string(group);
  item.value = std::string(option);
  item.fact = "option";
  item.detail = fmt::format("it has {}", listed(options));
  return item;
}

void observe_absent_groups(const std::vector<Override>& asked, const Document& own,
                           const Document& config, const RunFiles& files,
                           std::vector<Observation>& observations) {
  if (asked.empty() || !is_composed_here(own)) return;
  const std::string folder(parent_path(own.path()));
  const auto groups = names_in_folder(files, folder, FileKind::directory);
  for (const Override& change : asked) {
    const bool is_name = std::all_of(change.path.begin(), change.path.end(), is_name_part);
    if (!is_name || groups.empty() || contains(groups, change.path)) continue;
    const bool is_key = config.find(config.root(), change.path) != kNoNode;
    if (!change.adds && is_key) continue;
    if (own.find(own.root(), change.path) != kNoNode) continue;
    Observation& item = observations.emplace_back();
    item.list = "absent_options";
    item.span = {own.file(), 0, 0};
    item.name = change.path;
    item.value = change.value.value_or("");
    item.fact = change.adds ? "key" : "group";
    item.detail = fmt::format("the groups are {}", listed(groups));
  }
}

void leave_out_stored_options(CodeBase* code, const std::string& root,
                              std::vector<Observation>& observations) {
  const auto is_absent = [](const Observation& each) { return each.list == "absent_options"; };
  if (code == nullptr || std::none_of(observations.begin(), observations.end(), is_absent)) return;
  const std::vector<std::string>& stores = code->consumers().scripts().stores_options;
  const bool stores_any = std::any_of(stores.begin(), stores.end(), [&](const std::string& word) {
    return code->names(root, word);
  });
  if (stores_any && code->names(root, "group")) std::erase_if(observations, is_absent);
}

}  // namespace gpulint
