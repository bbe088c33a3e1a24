#pragma once

#include "base/result.h"
#include "catalog/data_kind.h"
#include "catalog/dialect.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

class Document;

/// What a program does with the words behind its own flags.
enum class LauncherStarts : std::uint8_t {
  program,   // a script or module, with the flags that follow (torchrun, python)
  command,   // a whole command line (srun, env, docker run)
  training,  // nothing: it trains itself, and its flags describe the run
  other,     // nothing: it does something else than train
};

/// The key under which the flags of a launcher hold the environment variables it sees.
inline constexpr std::string_view kVariablesKey = "env";

/// The words by which a program is called.
struct LauncherCall {
  std::vector<std::string> words;  // patterns; the first is compared with a file's name
};

/// A word of such a file's commands that stands for others.
struct CarriedWord {
  std::string name;     // as written: "${args}"
  std::string word;     // what it is; or
  std::string key;      // the key whose value it is; or
  std::string options;  // the mapping whose keys are options, each with `value` or `values`
  std::string before;   // in front of an option's name: "--"
};

/// Files of YAML that hold commands: tasks, manifests, workflows. Keys are dotted paths in which
/// `*` stands for any one key or item and `**` for any number of them.
struct CarrierForm {
  std::vector<std::string> all;         // keys that such a file has
  std::vector<std::string> any;         // of these one or more
  std::vector<std::string> none;        // keys that it has not
  std::vector<std::string> units = {};  // what holds a command each; "" is the whole file
  std::vector<std::string> words = {};  // keys of a unit whose words make up one command, in order
  std::vector<std::string> otherwise = {};  // words where none of these keys is there
  std::vector<CarriedWord> stands_for = {};
  std::vector<std::string> scripts = {};  // keys of a unit that hold shell text, or a list of it
  /// Keys of variables, of a unit or of what is around it.
  std::vector<std::string> variables = {};
  /// Variables that its runner sets.
  std::vector<std::pair<std::string, std::string>> given = {};
  /// Keys of facts that are sums of others: name -> keys.
  std::vector<std::pair<std::string, std::vector<std::string>>> sums = {};
  /// What holds the values of the options in code, each of the type that it has in the file.
  std::string typed_in = {};
  bool named_only = false;  // what it starts is a trial: judged where somebody names the file
};

/// `of` times `times`, which is 1 where it is not given. Nobody knows it if one of `spread` is above
/// 1: tasks that may be spread over the nodes in any way. Each is the first of several flags that
/// is given.
struct FlagProduct {
  std::string name;  // the key that it becomes
  std::vector<std::string> of;
  std::vector<std::string> times;
  std::vector<std::string> spread;
};

/// Flags of which `at_least` so many say something of a program.
struct FlagEvidence {
  std::vector<std::string> flags;
  int at_least = 0;
};

/// Environment variables by which a process knows its place among those of its run.
struct ProcessVariables {
  std::vector<std::pair<std::string, std::string>> first;  // of the first process: name, value
  std::vector<std::string> ranks;                          // that say how many there are
  std::vector<std::string> unset;                          // that nothing sets
};

/// A program that starts others or trains, of knowledge/launchers/<id>.yaml. Flags are written
/// without their dashes and compared as keys are: ignoring case, `-` as `_`.
struct Launcher {
  static constexpr DataKind kKind = DataKind::launcher;
  static Result<Launcher> parse(const Document& document);

  std::string id;
  std::string summary;
  std::vector<LauncherCall> calls;
  std::vector<std::string> directives;  // marks of comments that hold its flags ("#SBATCH")
  std::vector<std::string> opens;       // its flags with files that it opens before a script runs
  LauncherStarts starts = LauncherStarts::command;
  int positionals = 0;                // words of its own in front of what it starts
  std::vector<std::string> switches;  // its flags without a value
  std::vector<std::string> pairs;     // its flags with two values
  std::vector<std::string> modules;   // its flags behind which a module is named
  /// Environment variables it sets from its flags: flag -> names.
  std::vector<std::pair<std::string, std::vector<std::string>>> sets;
  /// Flags that count the processes it starts, by the word it is called by: each runs the program,
  /// unless another launcher stands between. Their value is the key `processes`.
  std::vector<std::pair<std::string, std::vector<std::string>>> processes;
  /// Its flags whose product says something of a whole node.
  std::vector<FlagProduct> products = {};
  /// Of what it starts; nullopt: nobody says.
  std::optional<ProcessVariables> process_variables;
  std::string dialect;    // its own flags are keys of: "" = by evidence
  std::string otherwise;  // the dialect of flags that are of none; in the file of plain names
  FlagEvidence evidence;  // by these a program of any name is this one
  FlagEvidence unless;    // by these a program of such a name trains all the same, if its code does
  std::string under;                   // section those keys lie in
  bool keeps_dashes = false;           // the dialect writes its keys with dashes
  std::vector<std::string> overrides;  // flags whose values change keys of a config: `a.b=c`
  std::vector<std::string> configs;    // flags that name the config of the run
  std::vector<std::string> silent;     // flags, or flag=value, by which it does not train
  std::optional<CarrierForm> carried;  // it is a kind of file; `keys` lie around its commands
  Companion terms;                     // where its facts beat those of a config
  /// What its flags mean, where it starts others; `env.NAME` are environment variables.
  Dialect facts;
  std::vector<std::string> sources;
};

}  // namespace gpulint
