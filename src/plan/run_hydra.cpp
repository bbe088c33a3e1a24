// Hydra's composition: a defaults list chooses one file of each config group, every file has a
// package it is put under, and later files beat earlier ones. Followed as Hydra 1.3 documents it
// (hydra.cc/docs/advanced/defaults_list, overriding_packages). What only code knows stays unread:
// structured configs of a ConfigStore, further search paths, plugins of `hydra/`.

#include "base/system_path.h"
#include "base/text.h"
#include "plan/absent_options.h"
#include "plan/hydra_defaults.h"
#include "plan/hydra_programs.h"
#include "plan/run_collect.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gpulint {
namespace {

constexpr std::string_view kOwnGroups = "hydra/";  // made by Hydra's plugins

class HydraComposer {
 public:
  HydraComposer(RunCollector& run, const Document& main) : run_(run), main_(main) {}

  void compose(NodeId defaults) {
    const std::vector<DefaultsItem> items = read_items(main_, defaults);
    find_root(items);
    if (root_ == parent_path(main_.path())) find_root_of_option(items);
    find_group(items);
    overrides_ = run_.chosen;
    collect_overrides(main_, items, base_group_);
    collect_overrides_below(items, base_group_, 0);
    if (const RunFile* primary = find_primary(items)) {
      compose_below(*primary);
      return;
    }
    const std::string package = final_package(
        "", package_header(main_).value_or(base_group_.empty() ? "" : "_global_"), "");
    add(main_, items, base_group_, package, dotted_parts(package));
    append_chosen(defaults);
  }

 private:
  /// `experiment=runs/today` is an option of `experiment`, from where its relative entries count:
  /// the group around the file that holds all of them. Its folder, where none does.
  void find_group(const std::vector<DefaultsItem>& items) {
    const auto holds_all = [&](const std::string& group) {
      return std::all_of(items.begin(), items.end(), [&](const DefaultsItem& item) {
        if (item.is_self || item.is_override || is_absolute(item)) return true;
        const std::string folder = item.group.empty() ? group : group_path(group, item.group);
        return std::all_of(item.options.begin(), item.options.end(), [&](std::string_view option) {
          std::string path = joined_parts(folder, option, '/');
          if (!path.ends_with(".yaml")) path += ".yaml";
          return run_.files.kind(normalize_path(join_path(root_, path))) == FileKind::regular;
        });
      });
    };
    for (std::string group = base_group_; !group.empty(); group = parent_path(group)) {
      if (group == "." || !holds_all(group)) continue;
      base_group_ = group;
      return;
    }
  }

  /// A config that is chosen as `group: folder/option` has groups beside its folder: where none
  /// lies in its own, that is the folder around it that holds one of them.
  void find_root_of_option(const std::vector<DefaultsItem>& items) {
    constexpr int kMostFoldersAround = 4;
    std::string folder(root_);
    for (int level = 0; level < kMostFoldersAround; ++level) {
      const bool holds_groups =
          std::any_of(items.begin(), items.end(), [&](const DefaultsItem& item) {
            return !item.group.empty() && !is_absolute(item) &&
                   is_group(normalize_path(join_path(folder, item.group)));
          });
      if (holds_groups) {
        root_ = folder;
        return;
      }
      if (folder.empty() || folder == "." || folder == "/") return;
      folder = std::string(parent_path(folder));
    }
  }

  /// The folder that absolute groups start from: this config's own, or one around it.
  void find_root(const std::vector<DefaultsItem>& items) {
    std::string folder(parent_path(main_.path()));
    root_ = folder;
    constexpr int kMostRootLevels = 8;  // groups are nested a few folders deep
    std::string below;
    for (int level = 0; level < kMostRootLevels; ++level) {
      const bool holds_groups =
          std::any_of(items.begin(), items.end(), [&](const DefaultsItem& item) {
            return lies_below(run_.files, run_.root, folder, item);
          });
      if (holds_groups) {
        root_ = folder;
        base_group_ = below;
        return;
      }
      if (folder.empty() || folder == "." || is_root(folder)) return;
      below = joined_parts(file_name(folder), below, '/');
      folder = std::string(parent_path(folder));
    }
  }

  /// The config that this one is chosen for (`python train.py experiment=…`): the only one beside
  /// the groups whose defaults list has every group that this one overrides, and, where several
  /// have, this one's own group. nullptr where none or more than one fits.
  const RunFile* find_primary(const std::vector<DefaultsItem>& items) const {
    const auto header = package_header(main_);
    if (base_group_.empty() || !header || !final_package("", *header, "").empty()) return nullptr;
    const auto entries = run_.files.reader().list(root_);
    if (!entries) return nullptr;
    constexpr std::size_t kMostCandidates = 64;  // primary configs beside the groups of a project
    std::vector<const RunFile*> fitting;
    std::vector<const RunFile*> naming;
    std::size_t asked = 0;
    for (const DirectoryEntry& entry : *entries) {
      if (extension(entry.name) != "yaml" || entry.kind != FileKind::regular) continue;
      if (++asked > kMostCandidates) return nullptr;
      const std::string path = normalize_path(join_path(root_, entry.name));
      if (!is_inside(run_.files, run_.root, path)) continue;
      const RunFile* file = run_.files.open(path);
      const std::vector<DefaultsItem> groups =
          file->document ? defaults_of(*file->document) : std::vector<DefaultsItem>{};
      if (!overrides_all(items, groups)) continue;
      fitting.push_back(file);
      if (has_group(groups, base_group_)) naming.push_back(file);
    }
    std::vector<const RunFile*>& best = naming.empty() ? fitting : naming;
    if (best.size() > 1) {
      std::erase_if(best, [this](const RunFile* file) {
        return run_.code == nullptr || !is_named_by_training(*run_.code, run_.root, file->path);
      });
    }
    if (best.size() > 1) keep_nearest(items, best);
    return best.size() == 1 ? best.front() : nullptr;
  }

  /// Of those that several programs take, the ones whose lists choose most of what this config
  /// chooses again.
  void keep_nearest(const std::vector<DefaultsItem>& items,
                    std::vector<const RunFile*>& primaries) const {
    const auto nearness = [&](const RunFile* file) {
      return chosen_again(items, defaults_of(*file->document));
    };
    std::size_t most = 0;
    for (const RunFile* each : primaries) most = std::max(most, nearness(each));
    std::erase_if(primaries, [&](const RunFile* each) { return nearness(each) < most; });
  }

  std::vector<DefaultsItem> defaults_of(const Document& document) const {
    for (const BaseKeys::Named& named : run_.base_keys.in(document)) {
      if (named.kind == ReferenceKind::defaults) return read_items(document, named.value);
    }
    return {};
  }

  /// This config as the option of its group, where the primary config's list has it; a group that
  /// is not in the list is appended, as `+experiment=…` does.
  void compose_below(const RunFile& primary) {
    has_primary_ = true;
    run_.primary = &primary;
    if (std::find(run_.reads.begin(), run_.reads.end(), &primary) == run_.reads.end()) {
      run_.reads.push_back(&primary);
    }
    const std::string group = normalize_path(join_path(root_, base_group_));
    const std::string_view own_name = main_.path().substr(group.size() + 1);
    own_option_ = std::string(own_name.substr(0, own_name.rfind('.')));
    overrides_.insert(overrides_.begin(), {base_group_, own_option_});
    std::vector<DefaultsItem> items = defaults_of(*primary.document);
    collect_overrides(*primary.document, items, "");
    collect_overrides_below(items, "", 0);
    if (!has_group(items, base_group_)) {
      DefaultsItem own;
      own.node = primary.document->root();
      own.group = base_group_;
      own.options = {own_option_};
      items.push_back(own);
    }
    const std::string package =
        final_package("", package_header(*primary.document).value_or("_global_"), "");
    run_.open_paths.push_back(primary.path);
    add(*primary.document, items, "", package, dotted_parts(package));
    run_.open_paths.pop_back();
  }

  bool is_group(const std::string& folder) const {
    return run_.files.kind(folder) == FileKind::directory &&
           is_inside(run_.files, run_.root, folder);
  }

  std::string group_path(std::string_view containing, std::string_view group) const {
    return group.starts_with('/') ? std::string(group.substr(1))
                                  : joined_parts(containing, group, '/');
  }

  /// `override launcher: basic` of an option of `hydra` is of `hydra/launcher`; where there is no
  /// such group, the one at the top is meant.
  std::string overridden_group(std::string_view containing, std::string_view group) const {
    const std::string inside = group_path(containing, group);
    const bool is_there = inside.starts_with(kOwnGroups) ||
                          is_group(normalize_path(join_path(root_, inside)));
    return is_there ? inside : std::string(without_slash(group));
  }

  /// `containing`: the group of the file.
  void collect_overrides(const Document& document, const std::vector<DefaultsItem>& items,
                         std::string_view containing) {
    for (const DefaultsItem& item : items) {
      if (!item.is_override) continue;
      const std::string group = overridden_group(containing, item.group);
      const bool known = std::any_of(overrides_.begin(), overrides_.end(),
                                     [&](const auto& each) { return each.first == group; });
      if (known) continue;
      overrides_.emplace_back(group, item.options.empty() ? "" : std::string(item.options[0]));
      overridden_at_[group] = {&document, item.node};
    }
  }

  /// What files further down override holds for groups that stand before them, too: Hydra goes
  /// through a list from its end.
  void collect_overrides_below(const std::vector<DefaultsItem>& items, const std::string& group,
                               int depth) {
    constexpr int kDeepest = 8;
    if (depth == kDeepest) return;
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
      if (item->is_self || item->is_override) continue;
      const std::string folder = group_path(group, item->group);
      for (const std::string& option : options_of(*item, folder)) {
        std::string path = joined_parts(folder, option, '/');
        const std::string group_of_file(item->group.empty() ? std::string(parent_path(path))
                                                            : folder);
        if (!path.ends_with(".yaml")) path += ".yaml";
        const std::string whole = normalize_path(join_path(root_, path));
        const NamedPath found = find_beside(run_.files, run_.root, "", whole);
        const RunFile* file = found.path.empty() ? nullptr : run_.files.open(found.path);
        if (file == nullptr || !file->document) continue;
        const std::vector<DefaultsItem> below = defaults_of(*file->document);
        collect_overrides(*file->document, below, group_of_file);
        collect_overrides_below(below, group_of_file, depth + 1);
      }
    }
  }

  /// A file's groups and itself, in the order of its list.
  void add(const Document& document, const std::vector<DefaultsItem>& items,
           const std::string& group, const std::string& package,
           const std::vector<std::string>& under) {
    const NodeId top = top_of(document);
    const Layer self{&document, top, under};
    bool has_self = false;
    for (const DefaultsItem& item : items) {
      if (item.is_self) {
        if (top != kNoNode) run_.layers.push_back(self);
        has_self = true;
      } else if (!item.is_override || is_new_group(document, items, item)) {
        add_item(document, item, group, package);
      }
    }
    if (!has_self && top != kNoNode) run_.layers.push_back(self);  // as of Hydra 1.1
  }

  /// `+experiment=vit`: an option of a group that no list has comes behind all of them.
  void append_chosen(NodeId defaults) {
    for (const auto& [group, option] : run_.chosen) {
      if (used_.count(group) != 0 || !is_group(normalize_path(join_path(root_, group)))) continue;
      DefaultsItem item;
      item.node = defaults;
      add_option(main_, item, joined_parts(group, option, '/'), group, group, "");
    }
  }

  /// An override without the config it overrides still says what the run will have.
  bool is_new_group(const Document& document, const std::vector<DefaultsItem>& items,
                    const DefaultsItem& item) const {
    return &document == &main_ && !has_primary_ &&
           std::none_of(items.begin(), items.end(), [&](const DefaultsItem& other) {
             return !other.is_override && without_slash(other.group) == without_slash(item.group);
           });
  }

  void add_item(const Document& document, const DefaultsItem& item, const std::string& group,
                const std::string& package) {
    if (item.group.empty()) {
      for (const std::string_view path : item.options) {
        const std::size_t slash = path.rfind('/');
        const std::string_view folder =
            slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
        const std::string whole = group_path(group, path);
        add_option(document, item, whole, parent_path(whole), without_slash(folder), package);
      }
      return;
    }
    const std::string chosen_group = group_path(group, item.group);
    run_.group_folders.push_back(normalize_path(join_path(root_, chosen_group)));
    const auto is_it = [&](const auto& each) { return each.first == chosen_group; };
    if (std::any_of(overrides_.begin(), overrides_.end(), is_it)) used_.insert(chosen_group);
    for (const std::string& option : options_of(item, chosen_group)) {
      add_option(document, item, joined_parts(chosen_group, option, '/'), chosen_group,
                 without_slash(item.group), package);
    }
  }

  std::vector<std::string> options_of(const DefaultsItem& item, const std::string& group) const {
    std::vector<std::string> options(item.options.begin(), item.options.end());
    for (const auto& [overridden, option] : overrides_) {
      if (item.group.empty() || overridden != group) continue;
      options.clear();
      if (!option.empty()) options.push_back(option);
    }
    return options;
  }

  /// `group`: what the file is an option of, from where its own list counts. `path` may name
  /// folders below it.
  void add_option(const Document& document, const DefaultsItem& item, std::string path,
                  std::string_view group, std::string_view relative_group,
                  const std::string& package) {
    const std::string group_of_file(group);
    if (!path.ends_with(".yaml")) path += ".yaml";
    const std::string whole = normalize_path(join_path(root_, path));
    if (has_primary_ && whole == normalize_path(main_.path())) {
      add(main_, defaults_of(main_), group_of_file, "", {});  // of the package _global_
      return;
    }
    NamedPath found = find_beside(run_.files, run_.root, "", whole);
    if (found.path.empty()) {
      // Groups of code are made by its ConfigStore.
      if (item.is_optional || path.starts_with(kOwnGroups)) return;
      if (found.is_missing) {
        found.why = "not found in the project";
        note_absent(document, item, path);
      }
    }
    const RunFile* file = run_.follow(document, item.node, "defaults", found);
    if (file == nullptr) return;
    // What the file itself says counts from the root, what the list says from the list's package.
    const auto header = item.package ? std::nullopt : package_header(*file->document);
    const std::string_view listed = item.package ? *item.package : dotted_view(relative_group);
    const std::string own = header ? final_package("", *header, group_of_file)
                                   : final_package(package, listed, group_of_file);
    run_.open_paths.push_back(file->path);
    const std::vector<DefaultsItem> items = defaults_of(*file->document);
    collect_overrides(*file->document, items, group_of_file);
    add(*file->document, items, group_of_file, own, dotted_parts(own));
    run_.open_paths.pop_back();
  }

  /// `path`: `group/option.yaml`, below the folder of the groups.
  void note_absent(const Document& document, const DefaultsItem& item, const std::string& path) {
    const std::string group(parent_path(path));
    const std::string_view option = file_name(path);
    if (group.empty()) return;
    auto absent = absent_option(run_.files, normalize_path(join_path(root_, group)), group,
                                option.substr(0, option.rfind('.')));
    if (!absent) return;
    // Where a list further down chooses another option, the one that is meant stands there.
    const auto over = overridden_at_.find(group);
    const bool is_overridden = over != overridden_at_.end();
    const Document& said_in = is_overridden ? *over->second.first : document;
    const NodeId said_at = is_overridden ? over->second.second : item.node;
    absent->span = said_in.span(said_at);
    absent->pointer = said_in.pointer(said_at);
    run_.observations.push_back(std::move(*absent));
  }

  std::string_view dotted_view(std::string_view group) {
    scratch_ = dotted(group);
    return scratch_;
  }

  RunCollector& run_;
  const Document& main_;
  std::string root_;        // folder of the config groups
  std::string base_group_;  // group of the main file itself, "" for a primary config
  std::vector<std::pair<std::string, std::string>> overrides_;  // group -> option
  /// Of those that a list decides: where.
  std::map<std::string, std::pair<const Document*, NodeId>> overridden_at_;
  std::set<std::string> used_;  // groups of a list that an override decides
  std::string scratch_;
  bool has_primary_ = false;  // the main file is one option of a config beside the groups
  std::string own_option_;
};

}  // namespace

void add_hydra_run(RunCollector& run, const Document& document, NodeId defaults) {
  HydraComposer(run, document).compose(defaults);
}

}  // namespace gpulint
