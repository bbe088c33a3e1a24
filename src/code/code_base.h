#pragma once

// The Python files of a project: found, read and parsed once for all its configs, and only those
// that somebody asks for. Thread-safe.

#include "base/file_reader.h"
#include "code/absent_imports.h"
#include "code/consumer_index.h"
#include "code/key_words.h"
#include "code/program_options.h"
#include "code/requirements.h"
#include "python/host.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gpulint {

class ScriptStarts;
struct CodeReading;

/// What a script does whatever config it is given.
struct ScriptProfile {
  ScriptProfile();

  std::once_flag once;
  bool loads = false;  // it reads a config
  bool loads_several = false;
  bool trains = false;                   // it makes an optimizer
  std::shared_ptr<ScriptStarts> starts;  // what its runs have in common; never null
};

/// A file that can be started, by what stands in it.
struct Script {
  std::string path;
  std::string text;
  bool trains = false;        // it speaks of training, and its name of nothing else
  bool takes_config = false;  // an option or a decorator for a config; else an import may have one
  bool is_entry = false;      // a decorator may hand its config over
  /// What its text names like options of a command line ("--use-amp").
  std::vector<std::string> options = {};
  /// The line that multiplies the learning rate by a batch or a number of ranks; empty: none does.
  std::string scales_rate = {};
  std::shared_ptr<ScriptProfile> profile = std::make_shared<ScriptProfile>();
};

/// What no file that a program may import has a word of.
struct MissingWords {
  SourceSpan learns = {};  // where one of them works out gradients; unknown: `words` is empty
  std::vector<const AbsentWords*> words = {};
};

/// The config that a decorator of a program names, as written there
/// (`@hydra.main(config_path="conf", config_name="train")`): "" where it does not.
struct EntryConfig {
  std::string path;  // folder, from the project's root
  std::string name;
};

class CodeBase {
 public:
  /// Files of modules are numbered from here, in the order they are met.
  static constexpr FileId kFirstModule = 0xc0000000U;

  /// Files below a folder, sorted.
  using PythonFiles = std::function<const std::vector<std::string>&(const std::string& root)>;
  using OtherFiles = std::function<std::vector<std::string>(const std::string& root)>;

  /// All must outlive this.
  /// `others`: scripts, texts and settings that may name environment variables.
  CodeBase(const FileReader& reader, const SharedConsumers& consumers, PythonFiles python_files,
           OtherFiles others)
      : reader_(reader),
        consumers_(consumers),
        python_files_(std::move(python_files)),
        other_files_(std::move(others)) {}

  /// Whether the steps of networks are followed, which only estimates need and which costs more
  /// than all else. Before anything is read.
  void follow_networks(bool wanted) { follows_networks_ = wanted; }
  bool follows_networks() const { return follows_networks_; }

  const ConsumerIndex& consumers() const { return consumers_.get(); }
  /// A parsed file below `root`; nullptr where there is none, or where it leads out of it.
  const python::Module* module(const std::string& root, const std::string& path);
  /// `path` as files of its project are named from the working directory (from_here.h).
  std::string from_here(std::string path) const;
  /// Where imports led to, by what they depend on (python/host.h).
  const python::ImportedPlace* imported(const std::string& root, const std::string& key);
  void keep_imported(const std::string& root, const std::string& key, python::ImportedPlace place);
  /// The one folder below the root from which a package is installed that no library known to
  /// `knowledge/consumers/` is called after; "": none.
  std::string installed_from(const std::string& root, std::string_view package);
  /// The config that a program's decorator names, kept once it was found out; nullptr before that.
  const EntryConfig* entry(const std::string& program);
  const EntryConfig* keep_entry(const std::string& program, EntryConfig found);
  bool is_folder(const std::string& path);
  bool is_file(const std::string& path);
  /// Files below `root` that start something, sorted by path.
  const std::vector<Script>& scripts(const std::string& root);
  /// Those that do something else with a config, by their names: evaluate it, sample with it.
  const std::vector<Script>& other_scripts(const std::string& root);
  /// Paths of those that name a function which starts commands.
  const std::vector<std::string>& starting_scripts(const std::string& root);
  /// The project has code of another framework, and none of PyTorch.
  bool trains_without_torch(const std::string& root);
  /// A file below `root` may set an environment variable of this name: it names it, and does not
  /// only read it (environment_words.h).
  bool may_set(const std::string& root, std::string_view variable);
  /// True when Python code below `root` uses a name: as an identifier, or as a string that is a key
  /// or a flag. The code is read when this is first asked.
  bool names(const std::string& root, std::string_view word);
  /// True when Python code below `root` has the name of a file anywhere. Its files are read when
  /// this is first asked of a name.
  bool mentions_file(const std::string& root, std::string_view name);
  /// Words by which the Python code below a folder of `root` reads keys; nullptr where it is more
  /// than is looked at, or a file of it cannot be read. Its files are parsed when this is first
  /// asked.
  const KeyWords* key_words(const std::string& root, const std::string& folder);
  /// Python files below a folder of `root`, sorted.
  std::vector<std::string> python_files(const std::string& root, std::string_view folder) const;
  /// Python files below `root` of that name, whatever their folders.
  const std::vector<std::string>& python_files_called(const std::string& root,
                                                      const std::string& name);
  /// Names of the Python files in a folder of `root`, sorted.
  std::vector<std::string> files_in(const std::string& root, const std::string& folder) const;
  /// What follows a key in the files of a config's folder that end as it does, its own among them:
  /// "0  # for Windows". Read when it is first asked.
  const std::vector<std::string>& sister_lines(const std::string& path, std::string_view key);
  /// What the requirement files of a folder say of a package.
  const std::vector<Requirement>& requirements(const std::string& folder, std::string_view package);
  /// What a program of the project takes on its command line; read when it is first asked.
  const ProgramOptions& options_of(const std::string& root, const std::string& program);
  /// An option of it that it parses and does not read (unread_options.h), found out once.
  bool is_unread(const std::string& root, const std::string& program, const ProgramOption& option);
  /// What it imports that the project does not have (absent_imports.h), found out once.
  const std::vector<AbsentImport>& absent_imports(const std::string& root,
                                                  const std::string& program);
  /// What was read last with the same run at hand, by all that it depends on; nullptr: nothing.
  std::shared_ptr<const CodeReading> kept_reading(const std::string& key);
  void keep_reading(std::string key, std::shared_ptr<const CodeReading> reading);
  /// True when a module's code has one of the words.
  bool speaks_of(const python::Module& module, const AbsentWords& words);
  /// `program`: "" = any file of the project. Found out once (absent_words.cpp).
  const MissingWords& missing_words(const std::string& root, const std::string& program);
  /// True when a module names a library of graphs.
  bool trains_on_graphs(const python::Module& module);
  /// Whether a start of a script may be kept that takes so much (script_start.h).
  bool takes_room(std::size_t size);
  /// A module's text, without comments and what else does nothing (python/words.h).
  const std::string& acting(const python::Module& module);
  /// explained_lines() of a module, found out once.
  const std::vector<SourceSpan>& explained_lines_of(const python::Module& module);
  /// Path of a module's file by its number; "" for any other.
  std::string path_of(FileId module) const;
  /// Line of an offset in a module's file, from 1.
  std::uint32_t line_of(FileId module, std::uint32_t offset) const;
  /// "train.py:33"; "" where the place is not known.
  std::string place_of(SourceSpan span) const;

 private:
  struct Slot {
    std::once_flag once;
    std::unique_ptr<python::Module> module;
  };
  FileKind kind(const std::string& path);

  const FileReader& reader_;
  const SharedConsumers& consumers_;
  const PythonFiles python_files_;
  const OtherFiles other_files_;
  bool follows_networks_ = true;
  mutable std::mutex mutex_;  // guards what follows; files are read and parsed outside of it
  std::map<std::string, std::unique_ptr<Slot>, std::less<>> slots_;
  std::unordered_map<std::string, FileKind> kinds_;
  std::map<std::string, std::unordered_map<std::string, python::ImportedPlace>> imported_;
  std::map<std::string, std::vector<std::string>, std::less<>> package_folders_;
  std::map<std::string, EntryConfig, std::less<>> entries_;
  std::map<std::string, std::unordered_map<std::string, std::vector<std::string>>> by_name_;
  std::vector<const python::Module*> numbered_;
  std::unordered_map<FileId, std::string> notebooks_;  // texts whose code is a module, as they are
  std::map<std::pair<const python::Module*, const AbsentWords*>, bool> spoken_;
  std::unordered_map<const python::Module*, bool> graphs_;
  std::size_t kept_ = 0;                                           // of starts
  std::unordered_map<const python::Module*, std::string> acting_;  // without comments
  std::unordered_map<const python::Module*, std::vector<SourceSpan>> explained_;
  struct Listed {
    std::vector<Script> scripts;
    std::vector<Script> others;
    std::vector<std::string> starting;
    bool imports_torch = false;
    bool imports_another = false;  // framework that trains, and no PyTorch
  };
  struct Listing : Listed {
    std::once_flag once;
  };
  static constexpr std::size_t kMostModuleBytes = std::size_t{1} << 20;   // of one file
  static constexpr std::size_t kMostScriptBytes = std::size_t{32} << 20;  // of all of a project
  /// What a table has for a key, made when it is first asked for; it is found out later, and once.
  template <typename Table>
  auto& place_of(Table& table, const typename Table::key_type& key) {
    const std::scoped_lock lock(mutex_);
    auto& place = table[key];
    if (!place) place = std::make_unique<typename Table::mapped_type::element_type>();
    return *place;
  }
  static Listed scripts_among(const std::vector<std::string>& paths, const std::string& root,
                              const FileReader& reader, const ScriptMarks& marks);
  Listing& listing(const std::string& root);
  std::map<std::string, std::unique_ptr<Listing>, std::less<>> listings_;
  struct Names {
    std::once_flag once;
    std::unordered_set<std::string> words;
    bool is_whole = true;  // false: there is more than was looked at
  };
  std::map<std::string, std::unique_ptr<Names>, std::less<>> names_;
  struct Sisters {
    std::once_flag once;
    std::vector<std::string> lines;
  };
  std::map<std::string, std::unique_ptr<Sisters>, std::less<>> sisters_;
  std::map<std::string, bool> mentioned_;
  std::map<std::string, std::unique_ptr<Names>, std::less<>> set_variables_;
  struct Programs {
    std::once_flag once;
    ProgramOptions options;
    std::once_flag looked_at;
    std::vector<SourceSpan> unread;
    std::once_flag followed;
    std::vector<AbsentImport> absent;
  };
  std::unordered_map<std::string, std::shared_ptr<const CodeReading>> kept_readings_;
  std::deque<std::string> order_of_readings_;  // their keys, the oldest first
  Programs& program_of(const std::string& root, const std::string& program);
  std::map<std::string, std::unique_ptr<Programs>, std::less<>> programs_;
  struct Missing {
    std::once_flag once;
    MissingWords found;
  };
  std::map<std::pair<std::string, std::string>, std::unique_ptr<Missing>> missing_;
  struct Readers {
    std::once_flag once;
    KeyWords words;
    bool complete = true;
  };
  std::map<std::string, std::unique_ptr<Readers>, std::less<>> readers_;
  struct RequirementFiles {
    std::once_flag once;
    std::vector<RequirementFile> files;
    std::map<std::string, std::vector<Requirement>, std::less<>> of;  // by package, once asked
  };
  std::map<std::string, std::unique_ptr<RequirementFiles>, std::less<>> requirements_;
};

}  // namespace gpulint
