#include "code/code_base.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/from_here.h"
#include "code/script_choice.h"
#include "python/words.h"
#include "source/notebook.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

using python::Behaviour;

constexpr std::size_t kMostModuleBytes = std::size_t{1} << 20;
/// Of one project; what lies beyond is not looked at, as if it were not there.
constexpr std::size_t kMostScriptFiles = 4'000;
constexpr std::size_t kMostReaderBytes = std::size_t{8} << 20;  // all of it is parsed
constexpr std::size_t kMostScriptBytes = std::size_t{32} << 20;

constexpr std::array<std::pair<std::string_view, Behaviour>, 27> kBehaviourNames = {{
    {"load", Behaviour::load},
    {"load_attributes", Behaviour::load_attributes},
    {"mapping", Behaviour::mapping},
    {"lenient_mapping", Behaviour::lenient_mapping},
    {"merge", Behaviour::merge},
    {"merge_method", Behaviour::merge_method},
    {"same", Behaviour::same},
    {"copy", Behaviour::copy},
    {"structure", Behaviour::structure},
    {"load_class", Behaviour::load_class},
    {"parser", Behaviour::parser},
    {"fields", Behaviour::fields},
    {"coerced_fields", Behaviour::coerced_fields},
    {"spawn", Behaviour::spawn},
    {"process", Behaviour::process},
    {"entry", Behaviour::entry},
    {"import", Behaviour::import_named},
    {"instantiate", Behaviour::instantiate},
    {"opaque", Behaviour::opaque},
    {"yes", Behaviour::yes},
    {"partial", Behaviour::partial},
    {"devices", Behaviour::devices},
    {"class_parser", Behaviour::class_parser},
    {"class_from_config", Behaviour::class_from_config},
    {"plain", Behaviour::plain},
    {"schemas", Behaviour::schemas},
    {"unknown", Behaviour::none},
}};

bool has_any(std::string_view text, const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return text.find(word) != std::string_view::npos;
  });
}

/// What the name says a script is for, other than training.
bool is_for_something_else(std::string_view name, const ScriptMarks& marks) {
  return !has_any(name, marks.training_names) && has_any(name, marks.other_names);
}

Script script_of(std::string path, std::string text, const ScriptMarks& marks) {
  Script made;
  made.is_entry = has_any(text, marks.entries);
  const bool starts = made.is_entry || has_any(text, marks.starts);
  made.trains = starts && has_any(text, marks.trains) &&
                !is_for_something_else(to_lower(file_name(path)), marks);
  made.takes_config = made.trains && (made.is_entry || has_any(text, marks.takes_config));
  made.path = std::move(path);
  made.text = std::move(text);
  return made;
}

std::vector<Script> scripts_among(const std::vector<std::string>& paths, const std::string& root,
                                  const FileReader& reader, const ScriptMarks& marks) {
  std::vector<Script> found;
  std::size_t bytes = 0;
  std::size_t files = 0;
  for (const std::string& path : paths) {
    const std::string_view inside =
        path.starts_with(root + "/") ? std::string_view(path).substr(root.size()) : path;
    if (lies_elsewhere(inside, marks)) continue;
    if (files++ >= kMostScriptFiles || bytes >= kMostScriptBytes) break;
    auto text = reader.read(path, kMostModuleBytes);
    if (!text) continue;
    bytes += text->size();
    Script script = script_of(path, std::move(*text), marks);
    if (script.trains) found.push_back(std::move(script));
  }
  return found;
}

void append(std::vector<std::string>& all, const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

ConsumerIndex::ConsumerIndex(std::span<const Consumers* const> all) {
  for (const Consumers* each : all) {
    for (const ConsumingCall& call : each->calls) {
      for (const std::string& name : call.names) calls_.emplace(name, &call);
      preceding_.insert(call.after.begin(), call.after.end());
    }
    for (const CountingLoop& loop : each->loops) loops_.push_back(&loop);
    for (const AbsentWords& absent : each->absent) absent_.push_back(&absent);
    for (const auto& [name, list] : ScriptMarks::lists())
      append(scripts_.*list, each->scripts.*list);
    for (const ActingFunctions& acting : each->functions) {
      Behaviour how = Behaviour::none;
      for (const auto& [name, behaviour] : kBehaviourNames) {
        if (name == acting.behaviour) how = behaviour;
      }
      for (const std::string& name : acting.names) {
        const std::string_view text = name;
        if (text.starts_with("*.")) {
          endings_.emplace_back(text.substr(2), how);
        } else if (text.ends_with(".*")) {
          beginnings_.emplace_back(text.substr(0, text.size() - 1), how);
        } else {
          behaviours_.emplace(text, how);
        }
      }
    }
    for (const DescribedModule& described : each->described) add(described);
  }
}

void ConsumerIndex::add(const DescribedModule& described) {
  auto module = std::make_unique<python::Module>();
  module->path = described.names.front();
  module->text = described.code;
  module->tree = python::parse(module->text);
  module->is_library = true;
  for (const std::string& name : described.names) {
    const std::string_view text = name;
    if (text.ends_with(".*")) {
      described_below_.emplace_back(text.substr(0, text.size() - 1),
                                    std::vector<const python::Module*>{module.get()});
    } else {
      described_[text].push_back(module.get());
    }
  }
  modules_.push_back(std::move(module));
}

std::span<const python::Module* const> ConsumerIndex::described(std::string_view prefix) const {
  if (const auto at = described_.find(prefix); at != described_.end()) return at->second;
  for (const auto& [beginning, modules] : described_below_) {
    if (prefix.starts_with(beginning)) return modules;
  }
  return {};
}

Behaviour ConsumerIndex::behaviour(std::string_view name) const {
  if (const auto found = behaviours_.find(name); found != behaviours_.end()) return found->second;
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  for (const auto& [ending, how] : endings_) {
    if (ending == last) return how;
  }
  std::size_t longest = 0;
  Behaviour found = Behaviour::none;
  for (const auto& [beginning, how] : beginnings_) {
    if (beginning.size() <= longest || !name.starts_with(beginning)) continue;
    longest = beginning.size();
    found = how;
  }
  return found;
}

const ConsumingCall* ConsumerIndex::call(std::string_view name) const {
  const auto found = calls_.find(name);
  return found == calls_.end() ? nullptr : found->second;
}

std::string_view ConsumerIndex::precedes(std::string_view name) const {
  for (const std::string_view each : preceding_) {
    if (name.ends_with(each)) return each;
  }
  return {};
}

namespace {

/// "max_epoch" of `args.max_epoch + 1`, of `cfg["max_epoch"]`, of `int(max_epoch)`; "" where other
/// names stand in it too.
std::string_view last_name(std::string_view text) {
  std::string_view last;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_name_part(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool is_around = end < text.size() && (text[end] == '.' || text[end] == '[');
    const bool is_cast = word == "int" && end < text.size() && text[end] == '(';
    const bool is_number = !word.empty() && word.front() >= '0' && word.front() <= '9';
    if (!word.empty() && !is_around && !is_cast && !is_number) {
      if (!last.empty()) return {};
      last = word;
    }
    at = end + (end == at ? 1 : 0);
  }
  return last;
}

}  // namespace

const CountingLoop* ConsumerIndex::loop(std::string_view counter, std::string_view end) const {
  const auto is_one_of = [](const std::vector<std::string>& patterns, std::string_view name) {
    return std::any_of(patterns.begin(), patterns.end(),
                       [&](const std::string& each) { return glob_match(each, name); });
  };
  const std::string name = to_lower(counter);
  const std::string last = to_lower(last_name(end));
  for (const CountingLoop* loop : loops_) {
    if (is_one_of(loop->counters, name)) return loop;
  }
  for (const CountingLoop* loop : loops_) {
    if (!last.empty() && is_one_of(loop->ends, last)) return loop;
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

std::string CodeBase::from_here(std::string path) const {
  return gpulint::from_here(reader_, std::move(path));
}

bool CodeBase::is_folder(const std::string& path) { return kind(path) == FileKind::directory; }
bool CodeBase::is_file(const std::string& path) { return kind(path) == FileKind::regular; }

const python::Module* CodeBase::module(const std::string& root, const std::string& named) {
  const std::string path = from_here(named);
  // Below a root above the working directory a path may begin anywhere; links are followed below.
  const bool inside = root == "." ? !is_absolute(path) && !path.starts_with("..")
                                  : root.starts_with("..") || path.starts_with(root + "/") ||
                                        path.starts_with(root);
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
    if (!is_root(real_root) && real_root != root && !real.starts_with(real_root + "/")) return;
    auto text = reader_.read(path, kMostModuleBytes);
    if (!text) return;
    auto module = std::make_unique<python::Module>();
    module->path = path;
    if (is_notebook(path)) {
      module->text = notebook_module(*text);
    } else {
      module->text = std::move(*text);
    }
    module->tree = python::parse(module->text);
    const std::scoped_lock lock(mutex_);
    module->file = kFirstModule + static_cast<FileId>(numbered_.size());
    numbered_.push_back(module.get());
    if (is_notebook(path)) notebooks_.emplace(module->file, std::move(*text));
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
  std::call_once(listing->once, [&] {
    const std::vector<std::string>& files = python_files_(root);
    if (files.empty()) return;  // nothing asks what the catalog says of code
    listing->scripts = scripts_among(files, root, reader_, consumers().scripts());
  });
  return listing->scripts;
}

bool CodeBase::names(const std::string& root, std::string_view word) {
  Names* known = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Names>& place = names_[root];
    if (!place) place = std::make_unique<Names>();
    known = place.get();
  }
  std::call_once(known->once, [&] {
    std::size_t files = 0;
    std::size_t bytes = 0;
    for (const std::string& path : python_files_(root)) {
      if (files++ >= kMostScriptFiles || bytes >= kMostScriptBytes) break;
      const auto text = reader_.read(path, kMostModuleBytes);
      if (!text) continue;
      bytes += text->size();
      for (const std::string_view each : python::words_of(*text)) known->words.emplace(each);
    }
  });
  return known->words.contains(std::string(word));
}

std::vector<std::string> CodeBase::python_files(const std::string& root,
                                                std::string_view folder) const {
  std::vector<std::string> paths;
  for (const std::string& path : python_files_(root)) {
    if (path.starts_with(folder)) paths.push_back(path);
  }
  return paths;
}

const KeyWords* CodeBase::key_words(const std::string& root, const std::string& folder) {
  Readers* known = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Readers>& place = readers_[root + '\n' + folder];
    if (!place) place = std::make_unique<Readers>();
    known = place.get();
  }
  std::call_once(known->once, [&] {
    std::size_t bytes = 0;
    const std::string below = folder.empty() || folder == "." ? "" : folder + "/";
    for (const std::string& path : python_files_(root)) {
      if (!path.starts_with(below)) continue;
      const python::Module* module = this->module(root, path);
      bytes += module == nullptr ? 0 : module->text.size();
      known->complete = known->complete && module != nullptr && bytes < kMostReaderBytes;
      if (!known->complete) return;
      add_key_words(*module, known->words);
    }
  });
  return known->complete ? &known->words : nullptr;
}

const std::vector<Requirement>& CodeBase::requirements(const std::string& folder,
                                                       std::string_view package) {
  RequirementFiles* known = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<RequirementFiles>& place = requirements_[folder];
    if (!place) place = std::make_unique<RequirementFiles>();
    known = place.get();
    if (const auto said = known->of.find(package); said != known->of.end()) return said->second;
  }
  std::call_once(known->once, [&] { known->files = requirement_files(reader_, folder); });
  std::vector<Requirement> found = requirements_of(known->files, package);
  const std::scoped_lock lock(mutex_);
  return known->of.emplace(package, std::move(found)).first->second;
}

const ProgramOptions& CodeBase::options_of(const std::string& root, const std::string& program) {
  Programs* known = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Programs>& place = programs_[root + '\n' + program];
    if (!place) place = std::make_unique<Programs>();
    known = place.get();
  }
  std::call_once(known->once, [&] { known->options = read_program_options(*this, root, program); });
  return known->options;
}

bool CodeBase::speaks_of(const python::Module& module, const AbsentWords& words) {
  const auto key = std::pair(&module, &words);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = spoken_.find(key); known != spoken_.end()) return known->second;
  }
  const bool speaks = has_any(module.text, words.words) && has_any(acting(module), words.words);
  const std::scoped_lock lock(mutex_);
  return spoken_.emplace(key, speaks).first->second;
}

const std::string& CodeBase::acting(const python::Module& module) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = acting_.find(&module); known != acting_.end()) return known->second;
  }
  std::string text = python::acting_text(module.text);
  const std::scoped_lock lock(mutex_);
  return acting_.emplace(&module, std::move(text)).first->second;
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
  const auto notebook = notebooks_.find(module);
  const std::string& whole = notebook == notebooks_.end() ? numbered_[at]->text : notebook->second;
  const std::string_view text = std::string_view(whole).substr(0, offset);
  return 1 + static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace gpulint
