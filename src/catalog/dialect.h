#pragma once

#include "catalog/key_mappings.h"
#include "catalog/known_keys.h"
#include "catalog/on_demand.h"
#include "source/scalar.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// A table of values that keys of any dialect may name (`values: optimizer`).
struct ValueMap {
  std::string name;
  std::vector<ValueMapping> values;
};

/// Native words that one way of writing a fact is made of ("32-true", "16-mixed", "bf16-mixed"): a
/// fix that changes one of them writes another of the same way.
struct Spelling {
  std::string fact;
  std::vector<std::string> words;
};

/// A number the framework refuses to start with. Only such a refusal makes an error: what no domain
/// covers may be a sentinel ("-1.", 0, a share) of code that nobody has read.
struct Domain {
  std::string fact;
  std::int64_t from = 0;  // the least number that is accepted
  std::string raises;     // package, file and symbol of the code that refuses
};

/// A framework's own default. `overridable`: a launcher, the command line or code may change it, so
/// it counts as unknown unless the run contains that file.
struct DefaultValue {
  std::string fact;
  std::string value;   // canonical spelling
  std::string source;  // file of the framework that says so
  bool overridable = false;
  bool assumed = false;     // our assumption where no framework decides; always printed as such
  std::string when_key;     // applies only where this native key (section) exists ("" = always) …
  std::string when_key_is;  // … and has this value ("" = any)
  std::string when_fact;    // applies only where this fact is known ("" = always) …
  std::string when_value;   // … and has this value, "not X" any other ("" = any)
};

/// Keys that one choice takes: any other is refused (`scheduler.type: WarmupCosineLR` takes no
/// `warmup_min_lr`).
struct AcceptedKeys {
  std::string key;                // dotted: the choice
  std::string value;              // its value, compared ignoring case
  std::string under;              // dotted: the section with its keys
  std::vector<std::string> keys;  // all it takes
  std::string raises;             // package, file and symbol of the code that refuses others
};

/// What somebody should hear about a key where others stand beside it as named.
struct Remark {
  std::string list;                     // observation list it goes to
  std::string key;                      // dotted
  std::string value;                    // counts only with this value; "" = with any
  std::vector<ValueMapping> with;       // keys that have these values; "*" = any
  std::vector<std::string> without;     // none of these keys stands there
  std::vector<std::string> code_names;  // the project's code has all of these words
  std::vector<std::string> code_lacks;  // and none of these
  std::string says;                     // half a sentence that ends the message
  std::string source;
};

/// Tables of `knowledge/catalogue/` that the keys of some mappings are read into.
struct CatalogueUse {
  std::vector<std::string> under;   // dotted, from the section root; "" = the root itself
  std::vector<std::string> tables;  // "package/table": a key that one of them takes is taken
  std::string raises;               // the code that refuses other keys; "" = none is known to
  std::string with;                 // counts only where this key stands; "" = always
  bool checks_values = true;        // and values that are not of a key's type
};

/// What a dialect's keys and absent keys mean: the large half, needed only for files of the
/// dialect.
struct DialectMapping {
  KeyMappings keys;
  std::vector<DefaultValue> defaults;
  /// Every key the dialect's file names, and further ones its `known_keys` lists: what a misspelt
  /// key is compared with.
  OnDemand<KnownKeys> known_keys = {};
  std::vector<Domain> domains = {};
  std::vector<AcceptedKeys> accepts = {};
  std::vector<CatalogueUse> catalogue = {};
  std::vector<Remark> remarks = {};
};

/// How a file that a config names belongs to its run.
enum class ReferenceKind : std::uint8_t {
  base,      // its keys lie under the config's own (`_BASE_`): what both state, the config decides
  mount,     // its content stands where its name is written
  joined,    // the same, read in another dialect (`deepspeed: ds_z3.json`)
  defaults,  // the list is Hydra's defaults list
  model,     // a model's folder, whose config.json states its dimensions
};

/// A key whose value names further files of the run.
struct Reference {
  std::string key;  // dotted, from the section root; for base and defaults at the top level
  ReferenceKind kind = ReferenceKind::base;
  std::string dialect = {};  // joined: the one the other file is written in
  bool yields = false;       // joined: what names the file beats it in every fact that both state
};

/// What a file of another dialect states in a run of this one, where it was named by a reference or
/// beside it on the command line.
struct Companion {
  std::string dialect;
  bool refuses_conflicts = false;       // where both state a fact, nobody knows which one counts
  std::vector<std::string> compares;    // facts of which the framework refuses two different values
  std::vector<std::string> decides;     // facts in which it beats the config itself
  std::vector<std::string> fills_none;  // facts it decides where the config says "none"
};

/// Evidence for "this file is of this dialect". All lists hold dotted paths from the root, `*` =
/// one component.
struct RecognitionRule {
  std::vector<std::string> all;
  std::vector<std::string> any;
  std::vector<std::string> none;
  std::vector<std::string> some;  // at least `at_least` of these
  int at_least = 0;
  std::string is;  // what such a file is, where the dialect is `foreign` ("a docker-compose file")
  std::vector<std::string> paths =
      {};                 // any: runs of components of the file's path ("fixtures/inputs")
  bool anywhere = false;  // bare keys are evidence in whatever section they stand
  bool lowers = false;    // the file is judged, but only by the dialect's `judged_by` families
  bool unjudged = false;  // its facts are read, but it starts no training
  /// JSON with at least so many keys whose values have as many digits as only programs write; 0: any.
  int measured = 0;
};

/// Words around a plain key that change nothing about what it means: `dataloader_batch_size`,
/// `G_optimizer_lr`, `lr_train` are a batch size and two rates.
struct KeyDecorations {
  std::vector<std::string> before;  // without the `_` that follows
  std::vector<std::string> after;   // without the `_` in front
  std::vector<std::string> of;      // plain keys
};

/// One config language of dialects/<id>.yaml.
struct Dialect {
  std::string id;
  std::string summary;
  std::vector<std::string> answers_to;  // labels of other classifications
  int rank = 100;                       // lower is tried first; `generic` is last
  bool foreign = false;  // its files are not training configs we read; `is` of the rule says what
  std::optional<ScalarSchema> scalars;  // unset: the loader is unknown
  bool casts_numbers = true;            // the framework turns "2e-5" into a number itself
  bool scales_learning_rate = false;    // the framework's code scales the rate with the batch
  std::vector<std::string> traits;      // habits of the framework that rules ask for by name
  bool exact_case = false;     // its loader tells TRAIN.LR from train.lr: so does recognition
  bool json_comments = false;  // its loader strips comments from JSON
  std::vector<std::string> sections;       // roots under which the keys may lie; "" = top level
  std::vector<RecognitionRule> recognise;  // any of them suffices
  OnDemand<DialectMapping> mapping;        // parsed when a file of the dialect is first met
  std::vector<std::string> leaf_sections;  // generic only: sections in which bare leaf keys count
  KeyDecorations decorations;              // generic only
  std::vector<std::string>
      foreign_sections;  // sections whose keys never count (evaluation, inference, …)
  std::vector<std::string> judged_by;       // families of rules for files that a rule `lowers`
  std::vector<std::string> phase_sections;  // each of these is a training phase of its own
  std::vector<std::string> run_sections;    // beside `sections`: each is a whole run of its own
  std::vector<std::string> partial_keys;    // keys of a file that is only a part: no defaults then
  std::vector<Reference> references;        // keys that name further files of the run
  std::vector<Companion> companions;        // dialects whose files state facts of its runs
  std::vector<std::string> model_configs;   // files of a model's folder in this dialect, first best
  bool supplement = false;  // its files only add to a run that another file describes
  std::vector<ValueMap> value_maps;
  std::vector<Spelling> spellings;  // own ones before those of other dialects
  /// Words of a program that builds another network than its flags describe, and those of one that
  /// builds that network all the same.
  std::vector<std::string> own_network, usual_network;
  std::vector<std::string> false_friends;  // documented keys that must not be read as facts
  std::vector<std::string>
      absent_switches;  // facts the framework cannot switch: absence is never reported
  std::vector<std::string> sources;
};

}  // namespace gpulint
