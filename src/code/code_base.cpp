#include "code/code_base.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/explained_lines.h"
#include "code/from_here.h"
#include "code/script_choice.h"
#include "code/script_text.h"
#include "code/started_commands.h"
#include "code/unread_options.h"
#include "code/word_parts.h"
#include "python/words.h"
#include "source/notebook.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

/// Of one project; what lies beyond is not looked at, as if it were not there.
constexpr std::size_t kMostScriptFiles = 4'000;
constexpr std::size_t kMostReaderBytes = std::size_t{8} << 20;  // all of it is parsed

/// It tries the project's code, and no run reads anything by it.
bool is_unit_test(std::string_view path, std::string_view text) {
  const std::string_view name = file_name(path);
  const bool is_called_so = name.starts_with("test_") || name.ends_with("_test.py") ||
                            path.starts_with("tests/") || path.find("/tests/") != path.npos;
  return is_called_so && text.find("def test_") != text.npos;
}

}  // namespace

CodeBase::Listed CodeBase::scripts_among(const std::vector<std::string>& paths,
                                         const std::string& root, const FileReader& reader,
                                         const ScriptMarks& marks) {
  Listed found;
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
    found.imports_torch = found.imports_torch || has_any(*text, marks.torch_imports);
    found.imports_another = !found.imports_torch &&  // which decides
                            (found.imports_another || has_any(*text, marks.other_frameworks));
    if (may_start_commands(*text, marks)) found.starting.push_back(path);
    Script script = script_of(path, std::move(*text), marks);
    if (script.trains) {
      script.options = options_in(script.text);
      script.scales_rate = rate_scaling_in(script.text);
      found.scripts.push_back(std::move(script));
    } else if (script.takes_config) {
      found.others.push_back(std::move(script));
    }
  }
  return found;
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

const python::ImportedPlace* CodeBase::imported(const std::string& root, const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto& places = imported_[root];
  const auto at = places.find(key);
  return at == places.end() ? nullptr : &at->second;  // stays where it is
}

void CodeBase::keep_imported(const std::string& root, const std::string& key,
                             python::ImportedPlace place) {
  const std::scoped_lock lock(mutex_);
  imported_[root].emplace(key, std::move(place));
}

const EntryConfig* CodeBase::entry(const std::string& program) {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(program);
  return found == entries_.end() ? nullptr : &found->second;
}

const EntryConfig* CodeBase::keep_entry(const std::string& program, EntryConfig found) {
  const std::scoped_lock lock(mutex_);
  return &entries_.emplace(program, std::move(found)).first->second;
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
  Slot& slot = place_of(slots_, path);
  std::call_once(slot.once, [&] {
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
    slot.module = std::move(module);
  });
  return slot.module.get();
}

CodeBase::Listing& CodeBase::listing(const std::string& root) {
  Listing& listing = place_of(listings_, root);
  std::call_once(listing.once, [&] {
    const std::vector<std::string>& files = python_files_(root);
    if (files.empty()) return;  // nothing asks what the catalog says of code
    static_cast<Listed&>(listing) = scripts_among(files, root, reader_, consumers().scripts());
  });
  return listing;
}

const std::vector<Script>& CodeBase::scripts(const std::string& root) {
  return listing(root).scripts;
}

const std::vector<Script>& CodeBase::other_scripts(const std::string& root) {
  return listing(root).others;
}

const std::vector<std::string>& CodeBase::starting_scripts(const std::string& root) {
  return listing(root).starting;
}

bool CodeBase::trains_without_torch(const std::string& root) {
  return listing(root).imports_another;
}

bool CodeBase::names(const std::string& root, std::string_view word) {
  Names& known = place_of(names_, root);
  std::call_once(known.once, [&] {
    std::size_t files = 0;
    std::size_t bytes = 0;
    for (const std::string& path : python_files_(root)) {
      if (files++ >= kMostScriptFiles || bytes >= kMostScriptBytes) break;
      const auto text = reader_.read(path, kMostModuleBytes);
      if (!text) continue;
      bytes += text->size();
      for (const std::string_view each : python::words_of(*text)) known.words.emplace(each);
    }
  });
  return known.words.contains(std::string(word));
}

bool CodeBase::mentions_file(const std::string& root, std::string_view name) {
  const std::string asked = root + '\n' + std::string(name);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = mentioned_.find(asked); known != mentioned_.end()) return known->second;
  }
  std::size_t bytes = 0;
  bool found = false;
  for (const std::string& path : python_files_(root)) {
    const auto text = reader_.read(path, kMostModuleBytes);
    bytes += text ? text->size() : 0;
    found = text && text->find(name) != text->npos;
    if (found || bytes >= kMostScriptBytes) break;
  }
  const std::scoped_lock lock(mutex_);
  return mentioned_.emplace(asked, found).first->second;
}

const std::vector<std::string>& CodeBase::python_files_called(const std::string& root,
                                                              const std::string& name) {
  static const std::vector<std::string> kNone;
  const std::vector<std::string>& files = python_files_(root);
  const std::scoped_lock lock(mutex_);
  const auto [names, is_new] = by_name_.try_emplace(root);
  if (is_new) {
    for (const std::string& path : files)
      names->second[std::string(file_name(path))].push_back(path);
  }
  const auto found = names->second.find(name);
  return found == names->second.end() ? kNone : found->second;
}

std::vector<std::string> CodeBase::python_files(const std::string& root,
                                                std::string_view folder) const {
  std::vector<std::string> paths;
  for (const std::string& path : python_files_(root)) {
    if (path.starts_with(folder)) paths.push_back(path);
  }
  return paths;
}

std::vector<std::string> CodeBase::files_in(const std::string& root,
                                            const std::string& folder) const {
  const std::string below = folder.empty() || folder == "." ? std::string() : folder + "/";
  std::vector<std::string> names = python_files(root, below);
  for (std::string& name : names) name.erase(0, below.size());
  std::erase_if(names, [](const std::string& name) { return name.find('/') != name.npos; });
  return names;
}

const KeyWords* CodeBase::key_words(const std::string& root, const std::string& folder) {
  Readers& known = place_of(readers_, root + '\n' + folder);
  std::call_once(known.once, [&] {
    std::size_t bytes = 0;
    const std::string below = folder.empty() || folder == "." ? "" : folder + "/";
    for (const std::string& path : python_files_(root)) {
      if (!path.starts_with(below)) continue;
      const python::Module* module = this->module(root, path);
      bytes += module == nullptr ? 0 : module->text.size();
      known.complete = known.complete && module != nullptr && bytes < kMostReaderBytes;
      if (!known.complete) return;
      if (!is_unit_test(path, module->text)) add_key_words(*module, known.words);
    }
  });
  return known.complete ? &known.words : nullptr;
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

CodeBase::Programs& CodeBase::program_of(const std::string& root, const std::string& program) {
  return place_of(programs_, root + '\n' + program);
}

const ProgramOptions& CodeBase::options_of(const std::string& root, const std::string& program) {
  Programs& known = program_of(root, program);
  std::call_once(known.once, [&] { known.options = read_program_options(*this, root, program); });
  return known.options;
}

bool CodeBase::is_unread(const std::string& root, const std::string& program,
                         const ProgramOption& option) {
  const ProgramOptions& options = options_of(root, program);
  Programs& known = program_of(root, program);
  std::call_once(known.looked_at, [&] { known.unread = unread_options(*this, root, options); });
  return std::find(known.unread.begin(), known.unread.end(), option.place) != known.unread.end();
}

const std::vector<AbsentImport>& CodeBase::absent_imports(const std::string& root,
                                                          const std::string& program) {
  Programs& known = program_of(root, program);
  std::call_once(known.followed, [&] { known.absent = find_absent_imports(*this, root, program); });
  return known.absent;
}

bool CodeBase::speaks_of(const python::Module& module, const AbsentWords& words) {
  const auto key = std::pair(&module, &words);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = spoken_.find(key); known != spoken_.end()) return known->second;
  }
  const auto is_in = [&](std::string_view text) {
    return has_any_part(text, words.words, words.apart_from);
  };
  const bool speaks = is_in(module.text) && is_in(acting(module));
  const std::scoped_lock lock(mutex_);
  return spoken_.emplace(key, speaks).first->second;
}

bool CodeBase::trains_on_graphs(const python::Module& module) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = graphs_.find(&module); known != graphs_.end()) return known->second;
  }
  const std::vector<std::string>& graphs = consumers().scripts().graphs;
  const auto names = [&](const std::string& library) { return has_word(module.text, library); };
  const bool names_one = std::any_of(graphs.begin(), graphs.end(), names);
  const std::scoped_lock lock(mutex_);
  return graphs_.emplace(&module, names_one).first->second;
}

bool CodeBase::takes_room(std::size_t size) {
  constexpr std::size_t kMostKept = 1'000'000;  // objects, texts and functions
  const std::scoped_lock lock(mutex_);
  if (kept_ + size > kMostKept) return false;
  kept_ += size;
  return true;
}

const std::vector<SourceSpan>& CodeBase::explained_lines_of(const python::Module& module) {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = explained_.find(&module); known != explained_.end())
      return known->second;
  }
  std::vector<SourceSpan> lines = explained_lines(module.file, module.text);
  const std::scoped_lock lock(mutex_);
  return explained_.emplace(&module, std::move(lines)).first->second;
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

std::string CodeBase::place_of(SourceSpan span) const {
  if (!span.known()) return {};
  return path_of(span.file) + ":" + std::to_string(line_of(span.file, span.begin));
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
