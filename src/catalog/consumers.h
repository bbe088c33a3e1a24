#pragma once

// What calls of a library do with their arguments, and how its functions act on values: one file of
// knowledge/consumers/. The room `code` follows a config to them.

#include "base/result.h"
#include "catalog/data_kind.h"
#include "catalog/dialect.h"
#include "source/document.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// An argument that states a fact.
struct ConsumedArgument {
  std::string name;
  int position = -1;               // -1: by name only
  std::string fact;                // "" where a single value states nothing
  std::vector<std::string> items;  // the facts of a list of as many: [image_size, image_width]
  std::vector<std::string> or_items = {};  // of one of another length: the edges of a volume
  std::string evaluation_fact;  // what it states of a loader that feeds an evaluation; "" = nothing
  std::vector<ValueMapping> values;
  std::vector<ValueMapping>
      in_code;                 // of a function: by what stands in its code, the first that does
  std::string value_map;       // of any dialect
  std::string otherwise;       // canonical value where the argument is left out; "" = unknown
  std::string with;            // only where this other argument is known and neither 0 nor false
  std::string without;         // its default counts only where this other argument is left out
  bool default_fills = false;  // its default overrules no key: other code may state it later
  std::string shared;          // the fact a number states that the code divides among the GPUs
  std::string of_machine = {};  // the fact that is 1 where it is the number of a machine's GPUs
  std::string keys_of;     // a dict, or the path of a file, with keys of this dialect; "" = neither
  bool is_member = false;  // of the object that is given at `position`: `args.lr`
  /// The first argument's name, whose attribute of this argument's name counts where this one is None:
  /// a data set that yields whole batches. "" = None is as good as left out.
  std::string none_of = {};
  bool is_passing = false;  // others that state the fact come after it, and count instead
  /// The fact that its share of another argument states, where nobody knows either number:
  /// `int(0.1 * total)` beside `total`. "" = none.
  std::string share = {};
  std::string share_of = {};  // that argument
  int share_at = -1;          // its position
};

/// One function or class, by its dotted names.
struct ConsumingCall {
  std::vector<std::string> names;      // ".step": a method of an object nobody knows
  std::vector<std::string> receivers;  // for those: words in the text of the object
  std::vector<std::string> within;  // only in a function whose code has one of these; empty: in any
  std::string off_by;  // an argument: where `False` is written into the call, that says nothing
  bool feeds_a_loop =
      false;  // a loader: its names and arguments tell whether it feeds the training
  bool splits_batches = false;  // each batch it is given is divided among the GPUs of the process
  std::vector<ConsumedArgument> arguments;
  std::vector<std::pair<std::string, std::string>> states;  // facts that being called states
  /// Facts that hold where the config's values lead past it, and nothing else speaks of them.
  std::vector<std::pair<std::string, std::string>> skipped;
  /// The fact that `step % n` before it states, and its value (1) where nothing stands before it.
  std::string every;
  /// The calls it is made after, each once (`.backward`): in a loop of their own, its rounds count.
  std::vector<std::string> after;
  std::string source;
  /// The dialect whose keys its arguments are called by, and the section they lie in; "" = none.
  std::string dialect;
  std::string under;
};

/// A loop that counts to a fact: `for epoch in range(n)`, `while step < n`.
struct CountingLoop {
  std::string fact;
  std::vector<std::string> counters;  // patterns of the name that counts: "epoch*"
  std::vector<std::string> ends;      // and of what is counted to: "*_epochs"
};

/// What holds of a loop of a project's own where none of the modules around it has one of the
/// words.
struct AbsentWords {
  std::string id;
  std::vector<std::string> words;       // parts of the modules' text, case by case
  std::vector<std::string> apart_from;  // names that have one of the words and mean something else
  std::vector<std::pair<std::string, std::string>> states;
  std::vector<std::string> doubts;  // facts that nobody may assume where one of the words stands
  bool may_be_asked_for = false;    // by whoever starts a program, whatever its options default to
  std::string source;
};

/// Functions that act in one of the ways of python/behaviour.h.
struct ActingFunctions {
  std::string behaviour;
  std::vector<std::string> names;  // "*.EasyDict": whatever stands before
};

/// Words by which Python files that train are told from others before they are parsed: parts of
/// their text, of their names, and names of folders.
struct ScriptMarks {
  std::vector<std::string> starts;             // the file can be started
  std::vector<std::string> entries;            // it can, and is given a config by a decorator
  std::vector<std::string> trains;             // it speaks of training
  std::vector<std::string> takes_config;       // it reads a config that is named to it
  std::vector<std::string> training_names;     // in names of scripts that train, whatever else is
  std::vector<std::string> other_names;        // in names of scripts that do something else
  std::vector<std::string> other_folders;      // nothing below them trains
  std::vector<std::string> config_options;     // in names of options that name a config
  std::vector<std::string> json_loaders;       // modules whose functions load JSON alone
  std::vector<std::string> config_places;      // in names of configs and of folders that hold them
  std::vector<std::string> takes_options;      // it reads a command line
  std::vector<std::string> training_switches;  // options that turn the training on or off
  std::vector<std::string> other_switches;     // options that turn something else on in its place
  std::vector<std::string> evaluating_switches;  // that turn an evaluation on, beside a training
  std::vector<std::string> torch_imports;     // of PyTorch, or of what is built on it
  std::vector<std::string> other_frameworks;  // imports of frameworks that train without it
  std::vector<std::string> plain_packages;     // none of them trains
  std::vector<std::string> starts_commands;    // functions that start what their arguments say
  std::vector<std::string> steps;              // of a program that trains by itself
  std::vector<std::string> setting_names;      // in names of modules with a program's settings
  std::vector<std::string> interpreters;       // names of the path of Python itself
  std::vector<std::string> optimizer_hooks;  // methods in which a trainer's module makes optimizers
  std::vector<std::string> graphs;  // libraries whose batches have a row per node, not per sample
  std::vector<std::string> shows;   // last parts of names of functions that show or store what they
                                    // are given, and read no key of it
  std::vector<std::string> keeps;   // the same of functions that hold or copy it
  std::vector<std::string> applies;  // the same of functions that call what they get with samples
  std::vector<std::string> launcher_options;  // a launcher gives them to every program
  /// Patterns of environment variables that no project sets.
  std::vector<std::string> set_everywhere;
  std::vector<std::string> loads_variables;  // words of code that sets those of a file
  std::vector<std::string> stores_options;   // and that adds to the options of config groups
  /// "wandb.init config-defaults.yaml": what a call takes for its config where it is given none.
  std::vector<std::string> default_configs;
  /// "yaml.load Loader pyyaml 6.0": a function that refuses its first argument alone, by the name
  /// of the next, from that release of a package on.
  std::vector<std::string> second_arguments;

  using List = std::vector<std::string> ScriptMarks::*;
  /// Each by its name in the file.
  static std::span<const std::pair<std::string_view, List>> lists();
};

/// Names of a library, written down as a Python module: classes of networks with the parameters
/// that their constructors make (python/interpreter.h builds networks with them).
struct DescribedModule {
  std::vector<std::string> names;  // dotted; "torch.nn.modules.*": all modules below
  std::string code;
  std::string source;
  bool takes_config = false;  // asks for the run's config by itself
};

struct Consumers {
  static constexpr DataKind kKind = DataKind::consumers;
  static Result<Consumers> parse(const Document& document);

  std::string id;
  std::string summary;
  std::vector<ConsumingCall> calls;
  std::vector<CountingLoop> loops;
  std::vector<AbsentWords> absent;
  std::vector<ActingFunctions> functions;
  ScriptMarks scripts;
  std::vector<DescribedModule> described;
};

}  // namespace gpulint
