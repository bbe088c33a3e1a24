#pragma once

// What the code does with a config: the scripts of its project that load it are interpreted with it
// at hand (python/interpreter.h), and each argument that reaches a call knowledge/consumers/ knows
// states a fact. A value is reported only where it was followed from its reader to its consumer.

#include "catalog/consumers.h"
#include "code/code_base.h"
#include "python/host.h"
#include "source/document.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// One fact that the code states or takes from the config.
struct CodeFact {
  std::string fact;
  std::string value;  // as the call gets it: "torch.optim.AdamW", "32", "true"
  const ConsumedArgument* argument = nullptr;  // nullptr: `value` is canonical
  bool from_config = false;                    // `span` lies in a file of the run, else in the code
  bool computed = false;                       // worked out from what stands there
  bool fills = false;                          // it overrules no key
  bool at_least = false;                       // there may be more than `value`
  bool known = true;                           // false: the code sets it, and nobody knows to what
  SourceSpan span = {};                        // of the value
  SourceSpan call = {};                        // of the call that takes it, in the code
  std::string source = {};                     // of a default of the call itself
  std::string dialect = {};                    // `fact` is a key of this dialect
  /// Of a call that runs may leave out, as one that quantizes: a run that evaluates makes it as well.
  bool is_of_part = false;
  /// How the code writes it: "torch.optim.AdamW(lr=cfg.speed)", "for epoch in range(cfg.rounds)".
  std::string taken_by = {};
};

/// What of the network the code does not tell, and the piece of code that nobody could follow first
/// on the way to it.
struct CodeGap {
  std::string fact = {};  // "parameters", or "activations": of a step
  std::string why = {};   // "Net.encoder is not known"
  SourceSpan place = {};  // unknown: no piece of code is to blame
  std::string code = {};  // as it is written there
  bool decides = false;   // a condition that nobody can decide
};

/// Where a script ends with an error, and the values of the config that lead there.
struct CodeRefusal {
  python::Refusal::How how = python::Refusal::How::raises;
  std::string name = {};                 // of the key or the argument
  std::string callee = {};               // that takes no such argument; what is wanted
  std::string given = {};                // where something of another type is
  std::vector<SourceSpan> because = {};  // of values of the config
  SourceSpan place = {};                 // in the code
  std::string line = {};                 // as it is written there
};

/// A training step that was followed through the networks of the project, as a program of the model
/// language.
struct FollowedNetwork {
  std::string name;                  // of its class
  std::string place;                 // where it is defined, "models/net.py:12"
  std::string text;                  // YAML
  std::vector<std::string> missing;  // what could not be followed, with its place
  double certain_share = 1;          // of what it keeps, on no side of an open condition
  std::int64_t parameters = 0;       // that it uses
};

/// Where a script loads the config.
struct LoadPlace {
  std::string script;
  SourceSpan span = {};  // in the code; unknown: the script is handed it
};

/// Another file that the code loads beside the config.
struct LoadedFile {
  std::string path;
  const Document* document = nullptr;
};

/// Environment variables of the process that is followed, the first of its run.
struct ProgramEnvironment {
  const Document* document = nullptr;  // nullptr: nobody knows what starts the program
  NodeId variables = kNoNode;          // that its script sets, a mapping
  /// That its launcher sets; of the same name, these count.
  std::vector<std::pair<std::string, std::string>> first = {};
  std::vector<std::string> ranks = {};  // that hold how many processes there are
  std::vector<std::string> unset = {};
};

struct CodeRequest {
  const Document* document = nullptr;  // the run, all its files joined
  std::string path;                    // the file that names it
  /// The config beside the groups that a program's decorator names, where `path` is one option of
  /// a group of it; "" = the file is that config itself, or of no such.
  std::string entry = {};
  std::string root = ".";
  CodeBase* code = nullptr;
  bool is_recognised = true;  // a dialect takes the file for a training config
  /// Of a framework, which reads the config too: a script that only lies near must take a key of
  /// it.
  bool is_of_framework = false;
  std::string program = {};  // the script that is handed the config; "" = nobody knows which
  /// The one script that is started; "" = those of the project that load the config.
  std::string script = {};
  const Document* arguments = nullptr;  // its command-line options
  bool may_have_more = false;           // of them, that only a running shell knows
  std::string subcommand = {};          // and the plain word in front of them
  ProgramEnvironment environment = {};
  /// A further config of the project, by path; nullptr: it cannot be read.
  std::function<const Document*(const std::string&)> open = {};
};

/// What the scripts of a project that load a config do with its keys.
struct KeyReads {
  bool complete = false;              // nothing else of the project may read them
  std::string script = {};            // the likeliest
  std::vector<SourceSpan> looked_at;  // values, and mappings that were asked for one; sorted
  KeyWords words = {};                // of what may be run
};

/// The file by whose name programs load the run.
inline const std::string& loaded_name(const CodeRequest& request) {
  return request.entry.empty() ? request.path : request.entry;
}

struct CodeReading {
  std::vector<CodeFact> facts;                   // one per fact, in the order of their names
  std::vector<std::vector<CodeFact>> by_script;  // the same of each script alone
  std::vector<std::string> scripts;              // that load the config, as many
  std::vector<LoadPlace> loads;                  // as many
  std::vector<std::string> modules;              // files of the project that they import
  std::vector<std::string> loaded;               // further configs they load
  std::vector<SourceSpan> handed_on;  // mappings of the run that code outside the project is given
  /// Of the likeliest script, in the order in which it meets them, where each that may take the
  /// config refuses it: what comes after the first holds once those before it are mended.
  std::vector<CodeRefusal> refusals;
  std::optional<FollowedNetwork> followed;  // where one script trains it
  std::vector<CodeGap> gaps;                // of the likeliest script
  KeyReads reads = {};
  std::vector<SourceSpan> explained;  // values that are read beside a comment that gives a reason
  std::set<std::string> taken;  // options of the command line that code of the project defines
  std::vector<std::string> options;   // that training scripts around the config may take
  bool is_idle = false;               // a program of its name that does not train takes it
  bool is_of_sibling = false;         // one of the scripts names another config of the folder
  std::string scope = {};  // the folder around all code that the scripts import; "" = the root
  bool truncated = false;
  std::uint64_t steps = 0;  // what it took, as the interpreter counts
};

/// Facts on which all scripts agree that speak of them.
std::vector<CodeFact> agreed_by_all(const std::vector<std::vector<CodeFact>>& readings);

/// Empty where no script of the project loads the config. The same run is read once, whichever of
/// its files asks (kept_readings.cpp).
CodeReading read_code(const CodeRequest& request);
/// The same, read anew.
CodeReading read_scripts_of(const CodeRequest& request);

/// A script of the project that trains may be meant for the config: one of the two lies at the top,
/// both lie in the same folder there, or the config's is called after configs.
bool may_have_program(CodeBase& code, const std::string& root, std::string_view config);

/// A program of the project that imports nothing that trains, and starts nothing: it edits configs.
bool is_idle_program(CodeBase& code, const std::string& root, const std::string& path);

/// The folder that `config_path` of a program's decorator means. `argument`: what stands there, in
/// the program; a folder that is written out lies beside the program or nowhere.
std::string entry_folder(CodeBase& code, const python::Module& program, std::string_view config_path,
                         python::SyntaxId argument);
const EntryConfig& entry_config(CodeBase& code, const std::string& root,
                                const std::string& program);

}  // namespace gpulint
