#include "plan/run.h"

#include "base/system_path.h"
#include "base/text.h"
#include "plan/absent_options.h"
#include "plan/decorated_keys.h"
#include "plan/python_run.h"
#include "plan/run_changes.h"
#include "plan/run_code.h"
#include "plan/run_join.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gpulint {
namespace {

constexpr const char* kOfIdleProgram = "the config of a program that does not train";

}  // namespace

class RunAssembler {
 public:
  explicit RunAssembler(const RunRequest& request) : request_(request) {
    run_.own_ = request.document;
    run_.project_ = request.code;
    run_.files_ = request.files;
    run_.root_ = request.root;
    run_.has_own_network_ = request.has_own_network;
  }

  Run assemble() {
    collect();
    run_.keys_ = std::make_unique<KeyIndex>(run_.document());
    recognise_run();
    if (collector_) {
      add_beside();
      run_.primary_ = collector_->primary;
      add_what_it_names();
    }
    const bool is_by_keys = run_.recognition_.dialect != nullptr;
    read_project_code();
    if (collector_) {
      if (!is_by_keys) {
        add_waiting();
        add_what_it_names();
      }
      run_.reads_ = std::move(collector_->reads);
      for (const std::string& path : imports_) run_.reads_.push_back(request_.files->open(path));
      run_.group_folders_ = std::move(collector_->group_folders);
      run_.observations_ = std::move(collector_->observations);
      leave_out_stored_options(request_.code, request_.root, run_.observations_);
      run_.complete_ = collector_->complete;
    }
    return std::move(run_);
  }

 private:
  void add_what_it_names() {
    if (run_.recognition_.dialect == nullptr) return;
    follow_references();
    add_command();
  }

  /// Folders above the project say nothing about its files.
  std::string_view in_project(std::string_view path) const {
    const std::string root = request_.root + "/";
    if (path.starts_with(root)) path.remove_prefix(root.size());
    return is_absolute(path) ? file_name(path) : path;
  }

  std::string_view path_in_project() const { return in_project(run_.own_->path()); }

  /// A test may start a config that is none of its own.
  void take_role_of_script() {
    if (request_.command == nullptr || run_.recognition_.dialect == nullptr) return;
    const std::string program(request_.command->program);
    if (request_.code != nullptr && is_idle_program(*request_.code, request_.root, program))
      run_.recognition_.role = kOfIdleProgram;
    for (const Document* said : {request_.command->flags, request_.command->overrides}) {
      if (said == nullptr) continue;
      take_role_of(in_project(said->path()), request_.dialects, run_.recognition_);
    }
  }

  void read_project_code() {
    const std::string primary = run_.primary_ == nullptr ? std::string() : run_.primary_->path;
    auto read = read_run_code(request_, {*run_.own_, run_.document(), run_.recognition_,
                                         run_.keys_->size() > 0, primary});
    if (!read) return;
    run_.code_ = std::move(read->code);
    if (run_.code_.is_idle && run_.recognition_.role.empty())
      run_.recognition_.role = kOfIdleProgram;
    const Dialect* found = run_.recognition_.dialect;
    const bool is_in_house = found == nullptr || !found->leaf_sections.empty();
    if (is_in_house && request_.code->trains_without_torch(request_.root))
      run_.recognition_.role = "the config of a project that trains without PyTorch";
    if (run_.recognition_.dialect == nullptr && read->trains) {
      for (const Dialect& each : request_.dialects) {
        if (!each.leaf_sections.empty()) run_.recognition_.dialect = &each;
      }
      take_role_of(path_in_project(), request_.dialects, run_.recognition_);
    }
  }

  void recognise_run() {
    run_.recognition_ = request_.recognition ? *request_.recognition
                                             : recognise(*run_.keys_, request_.dialects,
                                                         request_.in_house_keys, path_in_project());
    auto decorated = read_decorated_keys(request_, run_.document(), *run_.keys_, path_in_project(),
                                         run_.recognition_);
    if (decorated) run_.keys_ = std::move(decorated);
    take_role_of_script();
  }

  /// Bases and overrides: what is one document before anybody asks for its dialect.
  void collect() {
    run_.texts_.push_back(run_.own_);
    if (request_.files == nullptr) return;
    add_imports();
    collector_.emplace(
        RunCollector{*request_.files, request_.root, *request_.base_keys, request_.code});
    run_.has_bases_ =
        !request_.base_keys->in(*run_.own_).empty() || !included_files(*run_.own_).empty();
    // Most files are all of their run; references of their dialect may still be followed.
    if (!run_.has_bases_ && !has_changes(request_)) return;
    take_changes();
    collector_->add_file(*run_.own_, {});
    layers_ = std::move(collector_->layers);
    for (const RunFile* file : collector_->reads) run_.texts_.push_back(&*file->document);
    layers_.insert(layers_.end(), changes_.begin(), changes_.end());
    join();
    observe_absent_groups(asked_, *run_.own_, run_.document(), *request_.files,
                          collector_->observations);
  }

  void take_changes() {
    RunChanges changes = changes_of(request_, run_.own_->path());
    run_.changes_ = changes.by_command;
    changes_ = std::move(changes.layers);
    removed_ = std::move(changes.removed);
    asked_ = std::move(changes.asked);
    collector_->chosen = std::move(changes.chosen);
    std::move(changes.made.begin(), changes.made.end(), std::back_inserter(run_.made_));
  }

  /// A Python config with what it imports is worked out as one document.
  void add_imports() {
    if (request_.code == nullptr) return;
    auto imported = read_with_imports(*run_.own_, *request_.files, *request_.code, request_.root);
    if (!imported) return;
    run_.made_.push_back(std::make_unique<Document>(std::move(imported->document)));
    run_.own_ = run_.made_.back().get();
    imports_ = std::move(imported->paths);
  }

  void join() {
    if (layers_.size() < 2 && removed_.empty()) return;
    JoinedLayers joined = join_layers(layers_, *run_.own_, removed_);
    run_.joined_ = std::make_unique<Document>(std::move(joined.document));
    for (const std::string& path : joined.misplaced) {
      note(
          fmt::format("--set {} names an item that the list does not have; it was left out", path));
    }
    if (joined.truncated)
      note("the files of this run are together larger than gpulint reads; the rest was left out");
  }

  void note(std::string detail) {
    Observation& item = collector_->observations.emplace_back();
    item.list = "limits";
    item.span = {run_.own_->file(), 0, 0};
    item.detail = std::move(detail);
  }

  /// What a command says beside the keys of the config: its flags, then its launchers.
  void add_command() {
    if (request_.command == nullptr) return;
    const RunCommand& command = *request_.command;
    const Dialect& dialect = *run_.recognition_.dialect;
    if (command.flags != nullptr) add_document(dialect, *command.flags, nullptr, true);
    for (const RunCommand::LaunchedBy& by : command.launchers) {
      const std::size_t at = run_.companions_.size();
      add_document(by.launcher->facts, *by.flags, &by.launcher->terms, false);
      run_.companions_[at].trains = by.launcher->starts == LauncherStarts::training;
    }
  }

  /// A document with the files it names, which are weaker than what it says itself.
  void add_document(const Dialect& dialect, const Document& document, const Companion* terms,
                    bool wins) {
    run_.companion_keys_.push_back(std::make_unique<KeyIndex>(document));
    const KeyIndex& keys = *run_.companion_keys_.back();
    run_.companions_.push_back({&dialect, terms, &keys, top_of(document), kRootPath, !wins, wins});
    follow_companion(dialect, keys, document);
  }

  /// Files given by hand: of the same dialect they lie over the config, of another they accompany
  /// it.
  void add_beside() {
    bool over = false;
    for (const std::string& path : request_.over) {
      const RunFile* file = request_.files->open(path);
      if (!file->document) continue;
      collector_->reads.push_back(file);
      lay_over(*file);
      over = true;
    }
    for (const std::string& path : request_.beside) {
      const RunFile* file = request_.files->open(path);
      if (!file->document) continue;  // its own lint says why
      collector_->reads.push_back(file);
      run_.companion_keys_.push_back(std::make_unique<KeyIndex>(*file->document));
      const KeyIndex& keys = *run_.companion_keys_.back();
      const Recognition found = recognise(keys, request_.dialects, request_.in_house_keys);
      const Dialect* own = run_.recognition_.dialect;  // none: a fragment until all are joined
      if (found.dialect != nullptr && own != nullptr && found.dialect != own) {
        accompany(*found.dialect, keys, *file);
        continue;
      }
      // Whether a command's words are a run of their own, its program may have to tell.
      const bool may_accompany = own == nullptr && request_.command != nullptr &&
                                 found.dialect != nullptr && found.dialect->supplement;
      if (may_accompany) {
        waiting_.push_back({found.dialect, &keys, file});
        continue;
      }
      lay_over(*file);
      over = true;
    }
    if (over) join_again();
  }

  void accompany(const Dialect& dialect, const KeyIndex& keys, const RunFile& file) {
    add_companion(dialect, keys, top_of(*file.document), kRootPath);
    const ReferencePlace place{*request_.files, request_.root, std::string(run_.own_->path())};
    run_.companions_.back().is_compared =
        own_key_names(file.path, run_.recognition_, *run_.keys_, place);
    follow_companion(dialect, keys, *file.document);
  }

  /// Of a run that only its program's code shows to be one.
  void add_waiting() {
    const bool is_run = run_.recognition_.dialect != nullptr;
    for (const Waiting& each : waiting_)
      is_run ? accompany(*each.dialect, *each.keys, *each.file) : lay_over(*each.file);
    if (!is_run && !waiting_.empty()) join_again();
  }

  void lay_over(const RunFile& file) {
    if (layers_.empty()) layers_.push_back({run_.own_, top_of(*run_.own_), {}});
    collector_->layers.clear();
    collector_->add_file(*file.document, {});
    layers_.insert(layers_.end(), collector_->layers.begin(), collector_->layers.end());
    run_.texts_.push_back(&*file.document);
  }

  /// Companions may point into what was joined before: it lives as long as the run.
  void join_again() {
    run_.companion_keys_.push_back(std::move(run_.keys_));
    if (run_.joined_) run_.made_.push_back(std::move(run_.joined_));
    join();
    run_.keys_ = std::make_unique<KeyIndex>(run_.document());
    recognise_run();
  }

  /// Keys of the recognised dialect that name files.
  void follow_references() {
    const Dialect& dialect = *run_.recognition_.dialect;
    const PathHash section = path_below(kRootPath, run_.recognition_.section);
    std::vector<Layer> mounted;
    for (const Reference& reference : dialect.references) {
      if (reference.kind == ReferenceKind::base || reference.kind == ReferenceKind::defaults)
        continue;
      const Place place = run_.keys_->find(path_below(section, reference.key));
      if (!place.found()) continue;
      const Document& document = run_.document();
      if (reference.kind == ReferenceKind::joined &&
          document.kind(place.value) == NodeKind::mapping) {
        add_companion(reference, *run_.keys_, place.value, path_below(section, reference.key));
      } else if (document.kind(place.value) == NodeKind::scalar) {
        follow_name(reference, place, mounted);
      }
    }
    if (mounted.empty()) return;
    if (layers_.empty()) layers_.push_back({run_.own_, top_of(*run_.own_), {}});
    layers_.insert(layers_.end(), mounted.begin(), mounted.end());
    join_again();
  }

  void follow_name(const Reference& reference, const Place& place, std::vector<Layer>& mounted) {
    const Document& document = run_.document();
    const std::string name(trim(document.scalar(place.value)));
    const std::string from = path_of(document.span(place.value).file);
    if (reference.kind == ReferenceKind::model) {
      follow_model(from, name);
      return;
    }
    if (!names_a_config(name)) return;
    const NamedPath found = find_reference(*request_.files, request_.root, from, name);
    const RunFile* file = collector_->follow(document, place.value, reference.key, found);
    if (file == nullptr) return;
    if (reference.kind == ReferenceKind::joined) {
      run_.companion_keys_.push_back(std::make_unique<KeyIndex>(*file->document));
      add_companion(reference, *run_.companion_keys_.back(), top_of(*file->document), kRootPath);
      return;
    }
    std::vector<std::string> under = dotted_parts(run_.recognition_.section);
    for (std::string& part : dotted_parts(reference.key)) under.push_back(std::move(part));
    mounted.push_back({&*file->document, top_of(*file->document), std::move(under)});
    run_.texts_.push_back(&*file->document);
  }

  /// Path of the file that states a value: names are relative to it.
  std::string path_of(FileId id) const {
    for (const RunFile* file : collector_->reads) {
      if (file->id == id) return file->path;
    }
    return std::string(run_.own_->path());
  }

  /// A hub's name and a folder outside look alike and are nobody's mistake.
  void follow_model(const std::string& from, const std::string& name) {
    if (run_.model_config_ != nullptr) return;
    for (const Dialect& dialect : request_.dialects) {
      for (const std::string& config : dialect.model_configs) {
        const NamedPath found =
            find_around(*request_.files, request_.root, from, join_path(name, config));
        if (!found.path.empty()) return read_model(dialect, found);
      }
    }
  }

  void read_model(const Dialect& dialect, const NamedPath& found) {
    const RunFile* file = request_.files->open(found.path);
    if (!file->document) return;
    collector_->reads.push_back(file);
    run_.model_config_ = &*file->document;
    run_.companion_keys_.push_back(std::make_unique<KeyIndex>(*file->document));
    add_companion(dialect, *run_.companion_keys_.back(), top_of(*file->document), kRootPath);
  }

  void add_companion(const Reference& reference, const KeyIndex& keys, NodeId node, PathHash path) {
    const Dialect* dialect = find_dialect(request_.dialects, reference.dialect);
    if (dialect != nullptr) add_companion(*dialect, keys, node, path);
  }

  void add_companion(const Dialect& dialect, const KeyIndex& keys, NodeId node, PathHash path) {
    const Companion* terms = terms_of(*run_.recognition_.dialect, dialect.id);
    run_.companions_.push_back({&dialect, terms, &keys, node, path});
  }

  /// A launcher's flags may name a launch file, and that a DeepSpeed file in its turn.
  void follow_companion(const Dialect& dialect, const KeyIndex& keys, const Document& document,
                        int depth = 0) {
    const int by = static_cast<int>(run_.companions_.size()) - 1;
    for (const Reference& reference : dialect.references) {
      if (reference.kind != ReferenceKind::joined) continue;
      const Place place = keys.find(path_below(kRootPath, reference.key));
      if (!place.found()) continue;
      const std::string name(trim(document.scalar(place.value)));
      if (!names_a_config(name)) continue;
      const NamedPath found =
          find_reference(*request_.files, request_.root, document.path(), name);
      const RunFile* named = collector_->follow(document, place.value, reference.key, found);
      if (named == nullptr) continue;
      run_.companion_keys_.push_back(std::make_unique<KeyIndex>(*named->document));
      const std::size_t before = run_.companions_.size();
      add_companion(reference, *run_.companion_keys_.back(), top_of(*named->document), kRootPath);
      if (run_.companions_.size() == before) continue;
      if (reference.yields) run_.companions_.back().named_by = by;
      if (depth == 4) continue;  // files that name one another
      const Dialect& its = *run_.companions_.back().dialect;
      follow_companion(its, *run_.companion_keys_.back(), *named->document, depth + 1);
    }
  }

  /// A file of another dialect beside words of which nobody knows yet whether they start a run.
  struct Waiting {
    const Dialect* dialect = nullptr;
    const KeyIndex* keys = nullptr;
    const RunFile* file = nullptr;
  };

  const RunRequest& request_;
  Run run_;
  std::vector<Waiting> waiting_;
  std::optional<RunCollector> collector_;
  std::vector<Layer> layers_;
  std::vector<Layer> changes_;
  std::vector<std::string> removed_;
  std::vector<Override> asked_;       // by hand
  std::vector<std::string> imports_;  // configs in Python that the config imports
};

Run assemble_run(const RunRequest& request) { return RunAssembler(request).assemble(); }

}  // namespace gpulint
