#include "lint/recordings.h"

#include "base/text.h"
#include "lint/folders.h"
#include "plan/complete.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kGreatestSource = std::size_t{8} << 20;
constexpr int kMostLevels = 8;
constexpr std::size_t kMostMembers = 4'096;

std::vector<std::string> names_in(const Document& document) {
  std::vector<std::string> names;
  const NodeId node = document.find(document.root(), "names");
  if (node == kNoNode || document.kind(node) != NodeKind::sequence) return names;
  for (const NodeId item : document.items(node)) names.emplace_back(document.scalar(item));
  return names;
}

/// "mynet/net.py:Net" and "mynet.net:Net" as "mynet.net.net": one spelling for a class or function.
std::string dotted(std::string_view text) {
  std::string name = to_lower(text);
  if (const std::size_t file = name.find(".py:"); file != std::string::npos) name.erase(file, 3);
  for (char& c : name) {
    if (c == '/' || c == ':') c = '.';
    if (c == '-') c = '_';
  }
  return name;
}

bool is_called(const RecordedNetwork& network, std::string_view text) {
  const std::string asked = dotted(text);
  if (asked == dotted(network.id)) return true;
  return std::any_of(network.names.begin(), network.names.end(),
                     [&](const std::string& name) { return dotted(name) == asked; });
}

/// A file is named where the recording came from it: its path, or the end of it.
bool is_of_file(const RecordedNetwork& network, std::string_view text) {
  if (!text.ends_with(".py") || network.recording.files.size() != 1) return false;
  const std::string& file = network.recording.files.front().first;
  return file == text || text.ends_with("/" + file);
}

bool has(const std::vector<std::string>& words, std::string_view key) {
  const std::string lower = to_lower(key);
  return std::find(words.begin(), words.end(), lower) != words.end();
}

/// A value as recorded arguments are written; nullopt for sections.
std::optional<std::string> text_of_value(const Document& config, NodeId node) {
  if (config.kind(node) == NodeKind::scalar) return std::string(config.scalar(node));
  if (config.kind(node) != NodeKind::sequence) return std::nullopt;
  std::string text;
  for (const NodeId item : config.items(node)) {
    if (config.kind(item) != NodeKind::scalar) return std::nullopt;
    text += (text.empty() ? "" : ", ") + std::string(config.scalar(item));
  }
  return text;
}

/// Looks for the place that names a network, section by section.
class NameSearch {
 public:
  NameSearch(const Document& config, const OwnNetworks& own, const NamingWords& words)
      : config_(config), own_(own), words_(words) {}

  std::optional<NamedNetwork> run() {
    if (config_.root() != kNoNode) visit(config_.resolve(config_.root()), "", 0);
    return std::move(found_);
  }

 private:
  void visit(NodeId section, std::string_view key, int level) {
    if (config_.kind(section) != NodeKind::mapping || level > kMostLevels) return;
    for (const Member& member : config_.members(section)) {
      if (found_ || ++members_ > kMostMembers) return;
      const std::string_view name = config_.scalar(member.key);
      const NodeId value = config_.resolve(member.value);
      if (config_.kind(value) == NodeKind::scalar) {
        look_at(section, key, name, value);
      } else {
        visit(value, name, level + 1);
      }
    }
  }

  void look_at(NodeId section, std::string_view parent, std::string_view key, NodeId value) {
    const std::string_view text = config_.scalar(value);
    const bool names_it = has(words_.sections, key);
    const bool within = has(words_.names, key) && has(words_.sections, parent);
    // A dotted name is nobody else's, whatever the key is called.
    const bool literal = text.find('.') != std::string_view::npos && has(words_.names, key);
    if (!names_it && !within && !literal) return;
    for (const RecordedNetwork& network : own_.found) {
      if (!is_called(network, text) && !is_of_file(network, text)) continue;
      found_ = NamedNetwork{&network, value};
      if (!names_it) compare_arguments(section, key);
      return;
    }
  }

  /// What stands beside the name, and below init_args or similar sections, is what it is made with.
  void compare_arguments(NodeId section, std::string_view naming_key) {
    for (const Member& member : config_.members(section)) {
      const std::string_view key = config_.scalar(member.key);
      if (key == naming_key || key.starts_with('_') || has(words_.names, key)) continue;
      const NodeId value = config_.resolve(member.value);
      if (config_.kind(value) == NodeKind::mapping) {
        for (const Member& inner : config_.members(value))
          compare(config_.scalar(inner.key), config_.resolve(inner.value));
      } else {
        compare(key, value);
      }
    }
  }

  void compare(std::string_view key, NodeId value) {
    const auto here = text_of_value(config_, value);
    if (!here) return;
    const auto& arguments = found_->network->recording.arguments;
    const auto known = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const NamedText& each) { return each.first == key; });
    if (known == arguments.end()) {
      found_->open.emplace_back(key);
    } else if (!is_same_plain_value(known->second, *here) && found_->differs.empty()) {
      found_->differs =
          fmt::format("{} is {} in the recording and {} here", escape_for_display(key),
                      escape_for_display(known->second), escape_for_display(*here));
    }
  }

  const Document& config_;
  const OwnNetworks& own_;
  const NamingWords& words_;
  std::optional<NamedNetwork> found_;
  std::size_t members_ = 0;
};

/// Somebody who knows this run states the fact; a framework's default is weaker than a recording.
bool is_known(const TrainingPlan& facts, const FactRow& row) {
  const Provenance* from = provenance_of(facts, row);
  return from != nullptr && from->origin != Origin::dialect_default &&
         from->origin != Origin::assumed;
}

/// Source files below `folder` that changed since they were recorded, with what happened to each.
std::vector<std::string> changed_sources(const Recording& recording, const std::string& folder,
                                         const FileReader& files) {
  std::vector<std::string> changed;
  for (const auto& [path, fingerprint] : recording.files) {
    const std::string place = join_path(folder, path);
    if (files.kind(place) == FileKind::missing) {
      changed.push_back(path + " is gone");
      continue;
    }
    const auto text = files.read(place, kGreatestSource);
    if (text && text_fingerprint(*text) != fingerprint)
      changed.push_back(path + " has changed since");
  }
  return changed;
}

std::shared_ptr<FactSources> changeable(const Plan& plan) {
  if (plan.sources) return std::make_shared<FactSources>(*plan.sources);
  auto sources = std::make_shared<FactSources>();
  sources->given = plan.facts;
  return sources;
}

}  // namespace

std::shared_ptr<const OwnNetworks> ProjectNetworks::read(const std::string& data_folder) const {
  const auto shared = std::make_shared<OwnNetworks>();
  OwnNetworks& own = *shared;
  if (data_folder.empty()) return shared;
  const FileReader& files = session_.files();
  own.folder = folder_of(data_folder);
  const std::string real = files.canonical(join_path(data_folder, kOwnModelsFolder));
  const auto is_here = [&](const DataFile& file) {
    return files.canonical(folder_of(file.document.path())) == real;
  };
  const std::span<const DataFile> loose = session_.catalog().model_files().loose;
  std::span<const DataFile> recorded = loose;
  bool has_own_models = false;
  if (std::none_of(loose.begin(), loose.end(), is_here)) {
    auto others = read_data_folder(files, data_folder);
    if (!others) return shared;  // `gpulint config verify` says what is wrong with it
    own.files = std::move(*others);
    std::erase_if(own.files,
                  [](const DataFile& file) { return !file.path.starts_with("model_db/"); });
    recorded = own.files;
    has_own_models = true;
  }
  for (const DataFile& file : recorded) {
    auto recording = recording_of(file.document);
    if (!recording || !is_here(file)) continue;
    RecordedNetwork& network = own.found.emplace_back();
    network.id = stem_of(file.path);
    network.path = file.document.path();
    network.names = names_in(file.document);
    network.changed = changed_sources(*recording, own.folder, files);
    network.recording = *std::move(recording);
  }
  // The models refer to the files, which stay where they are from now on.
  if (has_own_models) {
    own.models.emplace(ModelFiles(session_.catalog().model_files().archive, own.files));
  }
  return shared;
}

std::shared_ptr<const OwnNetworks> ProjectNetworks::around(const std::string& config_path) {
  const std::string data =
      project_data_folder(session_.files(), folder_of(config_path), kOwnModelsFolder);
  const std::scoped_lock lock(mutex_);
  auto& slot = by_folder_[data];
  if (!slot) slot = read(data);
  return slot;
}

std::optional<NamedNetwork> named_network(const Document& config, const OwnNetworks& own,
                                          const NamingWords& words) {
  if (own.found.empty()) return std::nullopt;
  return NameSearch(config, own, words).run();
}

const RecordedNetwork* recorded_as(const OwnNetworks& own, std::string_view model_path) {
  const auto at =
      std::find_if(own.found.begin(), own.found.end(),
                   [&](const RecordedNetwork& each) { return each.path == model_path; });
  return at == own.found.end() ? nullptr : &*at;
}

void name_model(const std::string& id, Provenance from, Plan& plan) {
  auto sources = changeable(plan);
  sources->given.model.reset();
  if (!id.empty()) sources->given.model = Fact<std::string>{id, std::move(from)};
  plan.facts = complete(*sources);
  plan.sources = std::move(sources);
}

void add_recorded_facts(const RecordedNetwork& network, Plan& plan) {
  auto sources = changeable(plan);
  // What was recorded is what is trained, whether or not its code could be followed.
  bool added = plan.facts.own_network.has_value();
  if (added) clear_fact(sources->given, *find_fact("own_network"));
  for (const auto& [name, text] : network.recording.facts) {
    const FactRow* row = find_fact(name);
    if (row == nullptr || is_known(plan.facts, *row) || is_blocked(*sources, *row)) continue;
    added |= set_fact(sources->given, *row, text,
                      {.origin = Origin::code, .detail = "recorded in " + network.path});
  }
  if (!added) return;
  plan.facts = complete(*sources);
  plan.sources = std::move(sources);
}

}  // namespace gpulint
