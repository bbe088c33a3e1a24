#include "code/code_base.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

using python::Behaviour;

constexpr std::size_t kMostModuleBytes = std::size_t{1} << 20;
/// Of one project; what lies beyond is not looked at, as if it were not there.
constexpr std::size_t kMostScriptFiles = 4'000;
constexpr std::size_t kMostScriptBytes = std::size_t{32} << 20;
constexpr int kDeepestFolder = 6;

constexpr std::array<std::pair<std::string_view, Behaviour>, 15> kBehaviourNames = {{
    {"load", Behaviour::load},
    {"mapping", Behaviour::mapping},
    {"merge", Behaviour::merge},
    {"same", Behaviour::same},
    {"copy", Behaviour::copy},
    {"structure", Behaviour::structure},
    {"parser", Behaviour::parser},
    {"fields", Behaviour::fields},
    {"coerced_fields", Behaviour::coerced_fields},
    {"spawn", Behaviour::spawn},
    {"entry", Behaviour::entry},
    {"instantiate", Behaviour::instantiate},
    {"opaque", Behaviour::opaque},
    {"yes", Behaviour::yes},
    {"partial", Behaviour::partial},
}};

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

bool is_other_folder(std::string_view name) {
  constexpr std::array<std::string_view, 14> kNames = {
      "tests", "test", "docs",        "doc",        "node_modules", "venv",    "site-packages",
      "build", "dist", "third_party", "thirdparty", "__pycache__",  "outputs", "wandb"};
  return name.starts_with('.') || std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// What the name says a script is for, other than training.
bool is_for_something_else(std::string_view name) {
  return !has_any(name, {"train", "finetune", "fine_tune", "main", "fit"}) &&
         has_any(name,
                 {"eval",    "test",       "infer",   "predict", "export", "demo",     "sample",
                  "convert", "preprocess", "prepare", "visual",  "plot",   "download", "setup",
                  "bench",   "generate",   "serve",   "profile", "merge",  "export"});
}

Script script_of(std::string path, std::string text) {
  Script made;
  const std::string name = to_lower(file_name(path));
  made.is_entry = has_any(text, {"hydra.main("});
  const bool starts = made.is_entry || has_any(text, {"__main__", "fire.Fire", "parse_args("});
  made.trains =
      starts && has_any(text, {"train", "optim", ".fit("}) && !is_for_something_else(name);
  made.takes_config =
      made.is_entry || has_any(text, {"\"--conf", "'--conf", "\"--cfg", "'--cfg", "_config\"",
                                      "-config\"", "-config'", "config_path", "config_file",
                                      "sys.argv", "\"config\"", "'config'", ".yaml", ".yml"});
  made.path = std::move(path);
  made.text = std::move(text);
  return made;
}

class ScriptWalk {
 public:
  explicit ScriptWalk(const FileReader& reader) : reader_(reader) {}

  std::vector<Script> run(const std::string& root) {
    visit(root, 0);
    std::sort(found_.begin(), found_.end(),
              [](const Script& a, const Script& b) { return a.path < b.path; });
    return std::move(found_);
  }

 private:
  void visit(const std::string& folder, int depth) {
    const auto entries = reader_.list(folder);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.symlink || files_ >= kMostScriptFiles || bytes_ >= kMostScriptBytes) continue;
      const std::string path = folder == "." ? entry.name : join_path(folder, entry.name);
      if (entry.kind == FileKind::directory) {
        if (depth < kDeepestFolder && !is_other_folder(entry.name)) visit(path, depth + 1);
      } else if (entry.kind == FileKind::regular && entry.name.ends_with(".py")) {
        read(path);
      }
    }
  }

  void read(const std::string& path) {
    ++files_;
    auto text = reader_.read(path, kMostModuleBytes);
    if (!text) return;
    bytes_ += text->size();
    Script script = script_of(path, std::move(*text));
    if (script.trains && script.takes_config) found_.push_back(std::move(script));
  }

  const FileReader& reader_;
  std::vector<Script> found_;
  std::size_t files_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

ConsumerIndex::ConsumerIndex(std::span<const Consumers* const> all) {
  for (const Consumers* each : all) {
    for (const ConsumingCall& call : each->calls) {
      for (const std::string& name : call.names) calls_.emplace(name, &call);
    }
    for (const CountingLoop& loop : each->loops) loops_.push_back(&loop);
    for (const ActingFunctions& acting : each->functions) {
      Behaviour how = Behaviour::none;
      for (const auto& [name, behaviour] : kBehaviourNames) {
        if (name == acting.behaviour) how = behaviour;
      }
      for (const std::string& name : acting.names) {
        const std::string_view text = name;
        if (text.starts_with("*.")) {
          endings_.emplace_back(text.substr(2), how);
        } else {
          behaviours_.emplace(text, how);
        }
      }
    }
  }
}

Behaviour ConsumerIndex::behaviour(std::string_view name) const {
  if (const auto found = behaviours_.find(name); found != behaviours_.end()) return found->second;
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  for (const auto& [ending, how] : endings_) {
    if (ending == last) return how;
  }
  return Behaviour::none;
}

const ConsumingCall* ConsumerIndex::call(std::string_view name) const {
  const auto found = calls_.find(name);
  return found == calls_.end() ? nullptr : found->second;
}

const CountingLoop* ConsumerIndex::loop(std::string_view counter) const {
  const std::string name = to_lower(counter);
  for (const CountingLoop* loop : loops_) {
    const bool counts =
        std::any_of(loop->counters.begin(), loop->counters.end(),
                    [&](const std::string& each) { return glob_match(each, name); });
    if (counts) return loop;
  }
  return nullptr;
}

const ConsumerIndex& CodeBase::consumers() {
  std::call_once(consumers_once_, [&] { consumers_.emplace(catalog_.all_described<Consumers>()); });
  return *consumers_;
}

FileKind CodeBase::kind(const std::string& path) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto at = kinds_.find(path); at != kinds_.end()) return at->second;
  }
  const FileKind found = reader_.kind(path);
  const std::scoped_lock lock(mutex_);
  return kinds_.emplace(path, found).first->second;
}

bool CodeBase::is_folder(const std::string& path) { return kind(path) == FileKind::directory; }
bool CodeBase::is_file(const std::string& path) { return kind(path) == FileKind::regular; }

const python::Module* CodeBase::module(const std::string& root, const std::string& path) {
  const bool inside = root == "." ? !path.starts_with('/') && !path.starts_with("..")
                                  : path.starts_with(root + "/") || path.starts_with(root);
  if (!inside || kind(path) != FileKind::regular) return nullptr;
  Slot* slot = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Slot>& place = slots_[path];
    if (!place) place = std::make_unique<Slot>();
    slot = place.get();
  }
  std::call_once(slot->once, [&] {
    const std::string real = reader_.canonical(path);
    const std::string real_root = reader_.canonical(root);
    if (real_root != "/" && real_root != root && !real.starts_with(real_root + "/")) return;
    auto text = reader_.read(path, kMostModuleBytes);
    if (!text) return;
    auto module = std::make_unique<python::Module>();
    module->path = path;
    module->text = std::move(*text);
    module->tree = python::parse(module->text);
    const std::scoped_lock lock(mutex_);
    module->file = kFirstModule + static_cast<FileId>(numbered_.size());
    numbered_.push_back(module.get());
    slot->module = std::move(module);
  });
  return slot->module.get();
}

const std::vector<Script>& CodeBase::scripts(const std::string& root) {
  Listing* listing = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Listing>& place = listings_[root];
    if (!place) place = std::make_unique<Listing>();
    listing = place.get();
  }
  std::call_once(listing->once, [&] { listing->scripts = ScriptWalk(reader_).run(root); });
  return listing->scripts;
}

std::string CodeBase::path_of(FileId module) const {
  const std::scoped_lock lock(mutex_);
  const FileId at = module - kFirstModule;
  return module >= kFirstModule && at < numbered_.size() ? numbered_[at]->path : std::string();
}

std::uint32_t CodeBase::line_of(FileId module, std::uint32_t offset) const {
  const std::scoped_lock lock(mutex_);
  const FileId at = module - kFirstModule;
  if (module < kFirstModule || at >= numbered_.size()) return 0;
  const std::string_view text = std::string_view(numbered_[at]->text).substr(0, offset);
  return 1 + static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace gpulint
