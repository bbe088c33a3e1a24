#pragma once

// A run is what one training start reads: the config that names it, the files that config refers to
// (its bases, Hydra's groups, a DeepSpeed JSON, a model's config.json), those given beside it by
// hand, and changes to single keys. All of it becomes one Document, whose nodes know their files,
// and the companions: documents of other dialects that state facts of the same run.
// What dialects call a reference is data (`references` and `companions` in dialects/).

#include "catalog/launcher.h"
#include "code/read_code.h"
#include "plan/key_index.h"
#include "plan/plan.h"
#include "plan/run_collect.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// A document, or a section of one, that is read in another dialect.
struct CompanionDocument {
  const Dialect* dialect = nullptr;
  const Companion* terms = nullptr;  // nullptr: it fills what is unknown and no more
  const KeyIndex* keys = nullptr;
  NodeId node = kNoNode;
  PathHash path = kRootPath;
  bool launches = false;  // says how the run is started: what it leaves open, nobody may assume
  bool wins = false;      // beats the config whatever it states: flags of the program that reads it
  /// The framework itself was told of the file, not a key of the project's own.
  bool is_compared = true;
  /// Place among the companions of the one that names this file and beats it; -1: none.
  int named_by = -1;
  bool trains = false;  // flags of the program that trains, in its own words
};

/// A command that starts a config, as far as its words describe the run (launch/launch.h).
struct RunCommand {
  /// A program in front of the one that trains, with its flags.
  struct LaunchedBy {
    const Document* flags = nullptr;
    const Launcher* launcher = nullptr;
  };
  std::string_view program;              // Python file it starts; "" where none was found
  std::string_view subcommand = {};      // the plain word in front of its flags
  const Document* flags = nullptr;       // of the program, by the names that configs use
  const Document* overrides = nullptr;   // keys of the config with other values: `a.b=c`
  bool has_unknown = false;  // flags that only a running shell knows
  std::span<const std::string> removed;  // dotted keys it takes away
  /// `name=word`, which chooses an option where `name` is a group of configs.
  std::span<const std::pair<std::string, std::string>> chosen;
  std::vector<LaunchedBy> launchers;  // innermost first
};

class Run {
 public:
  const Document& document() const { return joined_ ? *joined_ : *own_; }
  const KeyIndex& keys() const { return *keys_; }
  const Recognition& recognition() const { return recognition_; }
  std::span<const CompanionDocument> companions() const { return companions_; }
  /// Every file the run was read from beside its own, each once.
  std::span<const RunFile* const> reads() const { return reads_; }
  /// The one of them that names a run itself, of which this run is a variant (Hydra's primary
  /// config).
  const RunFile* primary() const { return primary_; }
  /// Folders of the config groups it has an option of, also where that option is `null`.
  std::span<const std::string> group_folders() const { return group_folders_; }
  std::span<const Observation> observations() const { return observations_; }
  /// True when it refers to bases and all of them were read: nothing of it stands elsewhere.
  bool is_complete() const { return has_bases_ && complete_; }
  /// config.json of the model it trains, where that lies in the project.
  const Document* model_config() const { return model_config_; }
  /// What the project's code says of the run; empty where no script of it loads the config.
  const CodeReading& code() const { return code_; }
  /// The program builds another network than its flags describe.
  bool has_own_network() const { return has_own_network_; }
  const RunFiles* files() const { return files_; }
  /// Python code and requirements of the project, and its root; nullptr: no code is read.
  CodeBase* project() const { return project_; }
  const std::string& root() const { return root_; }
  /// Its files, and who wins where two state one fact: an earlier one, unless its role says less.
  std::vector<RunSource> sources() const;
  /// Documents whose text problems belong to the run: its own first, then its bases.
  std::span<const Document* const> texts() const { return texts_; }

 private:
  friend class RunAssembler;
  const Document* own_ = nullptr;
  std::unique_ptr<Document> joined_;
  std::unique_ptr<KeyIndex> keys_;
  std::vector<std::unique_ptr<Document>> made_;  // of overrides; layers point into them
  std::vector<std::unique_ptr<KeyIndex>> companion_keys_;
  Recognition recognition_;
  std::vector<CompanionDocument> companions_;
  std::vector<const RunFile*> reads_;
  const RunFile* primary_ = nullptr;
  std::vector<std::string> group_folders_;
  std::vector<Observation> observations_;
  std::vector<const Document*> texts_;
  const Document* model_config_ = nullptr;
  CodeReading code_;
  bool has_own_network_ = false;
  const RunFiles* files_ = nullptr;
  CodeBase* project_ = nullptr;
  std::string root_ = ".";
  const Document* changes_ = nullptr;  // keys of the config that a command gives other values
  bool has_bases_ = false;
  bool complete_ = true;
};

struct RunRequest {
  const Document* document = nullptr;  // the config that names the run
  std::span<const Dialect> dialects = {};
  std::span<const KeyMapping> in_house_keys = {};
  const RunFiles* files = nullptr;      // nullptr: nothing beside the config is read
  const BaseKeys* base_keys = nullptr;  // of the same dialects
  CodeBase* code = nullptr;             // of the project; nullptr: no code is read
  std::string script = {};       // Python file that a command starts with `document` as its options
  bool has_own_network = false;  // of the program
  std::string root = ".";        // nothing outside this folder is read
  std::span<const std::string> over = {};       // paths of configs that lie over it, in order
  std::span<const std::string> beside = {};     // paths of files joined by hand, in order
  std::span<const std::string> overrides = {};  // `a.b=c`, `+a.b=c`, `~a.b`, `group=option`
  const RunCommand* command = nullptr;          // the one that starts it
  /// What the config is, where that is known already; else its keys say.
  std::optional<Recognition> recognition = {};
};

/// Reads a run; what could not be read is an observation, never an error.
Run assemble_run(const RunRequest& request);

/// One change to a config's own keys, as Hydra's command line spells it.
struct Override {
  std::string path;                  // dotted
  std::optional<std::string> value;  // unset: the key is taken away
  bool adds = false;                 // `+a=b`, `++a=b`
};
/// Error: it is not an override; the message says what one looks like.
Result<Override> parse_override(std::string_view text);

}  // namespace gpulint
