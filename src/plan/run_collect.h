#pragma once

// The files that a config names as its bases, in the order in which they count. Internal to this
// room; plan/run.h is what others use.

#include "catalog/dialect.h"
#include "plan/run_files.h"
#include "plan/run_layers.h"
#include "plan/run_paths.h"
#include "plan/training_plan.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// Top-level keys by which any dialect names bases, collected once per lint.
class BaseKeys {
 public:
  explicit BaseKeys(std::span<const Dialect> dialects);

  struct Named {
    NodeId key = kNoNode;
    NodeId value = kNoNode;
    ReferenceKind kind = ReferenceKind::base;
  };
  /// The references at the top level of a document, in the order written; empty for most files.
  std::vector<Named> in(const Document& document) const;

 private:
  std::vector<std::pair<std::string_view, ReferenceKind>> keys_;  // views into the dialects
};

/// A file that a tag puts in a key's place: HyperPyYAML's (`models: !include:models/small.yaml`),
/// where what is written below the key lies over it, or a project's own (`!include small.yaml`).
struct IncludedFile {
  NodeId key = kNoNode;
  NodeId value = kNoNode;
  std::string_view name;                // a view into the document
  std::vector<std::string> under = {};  // the keys that lead there, its own the last
};
std::vector<IncludedFile> included_files(const Document& document);

/// What is collected for one run.
struct RunCollector {
  const RunFiles& files;
  const std::string& root;
  const BaseKeys& base_keys;
  CodeBase* code = nullptr;  // nullptr: it is not read
  /// Options of config groups chosen outside the files (`model=large`): group -> option.
  std::vector<std::pair<std::string, std::string>> chosen = {};

  std::vector<Layer> layers = {};  // weakest first
  std::vector<const RunFile*> reads = {};
  const RunFile* primary = nullptr;  // of `reads`: a config the run's own one is an option of
  std::vector<std::string> group_folders = {};  // Hydra's groups that the run chooses options of
  std::vector<Observation> observations = {};
  bool complete = true;  // false: something the run is made of could not be read
  std::vector<std::string> open_paths = {};  // files being followed, outermost first

  /// The files that a document's tags put in the place of its keys, as layers below it.
  void add_includes(const Document& document, const std::vector<std::string>& under);
  /// A file with its bases below it, as a layer of its own. `under`: keys it is put below.
  void add_file(const Document& document, const std::vector<std::string>& under);
  /// Opens what a reference leads to; nullptr after saying why not.
  const RunFile* follow(const Document& document, NodeId name, std::string_view key,
                        const NamedPath& found);
  /// Says that a reference was not followed.
  void leave_unread(const Document& document, NodeId name, std::string_view key, std::string why);
};

/// Hydra's defaults list of a config that names a run: its groups and itself, composed.
void add_hydra_run(RunCollector& run, const Document& document, NodeId defaults);

}  // namespace gpulint
