#pragma once

#include "catalog/on_demand.h"
#include "source/scalar.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// Native value -> canonical value of one key ("true" -> "bf16"; a null target means unknown).
/// `native` is compared with the scalar's text, ignoring case; "*" stands for every other value.
struct ValueMapping {
  std::string native;
  std::optional<std::string> canonical;
};

/// A table of values that keys of any dialect may name (`values: optimizer`).
struct ValueMap {
  std::string name;
  std::vector<ValueMapping> values;
};

/// How one native key states one fact. `path` is dotted from the section root; `*` matches one
/// component.
struct KeyMapping {
  std::string path;
  std::string fact;
  std::string transform =
      {};  // name of a conversion of plan/transforms.cpp; "" = by the fact's type
  std::vector<ValueMapping> values = {};
  std::string value_map = {};  // asked after `values`: name of a ValueMap of any dialect; "" = none
  int priority = 0;            // the lower one wins when several keys state one fact
};

/// A framework's own default. `overridable`: a launcher, the command line or code may change it, so
/// it counts as unknown unless the run contains that file.
struct DefaultValue {
  std::string fact;
  std::string value;   // canonical spelling
  std::string source;  // file of the framework that says so
  bool overridable = false;
  bool assumed = false;    // our assumption where no framework decides; always printed as such
  std::string when_key;    // applies only where this native key (section) exists; "" = always
  std::string when_fact;   // applies only where this fact is known ("" = always) …
  std::string when_value;  // … and has this canonical value ("" = any)
};

/// What a dialect's keys and absent keys mean: the large half, needed only for files of the
/// dialect.
struct DialectMapping {
  std::vector<KeyMapping> keys;
  std::vector<DefaultValue> defaults;
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
};

/// One config language of dialects/<id>.yaml.
struct Dialect {
  std::string id;
  std::string summary;
  std::vector<std::string> answers_to;  // labels of other classifications
  int rank = 100;                       // lower is tried first; `generic` is last
  bool foreign = false;  // its files are no training configs we read; `is` of the rule says what
  std::optional<ScalarSchema> scalars;     // unset: the loader is unknown
  bool casts_numbers = true;               // the framework turns "2e-5" into a number itself
  bool scales_learning_rate = false;       // the framework's code scales the rate with the batch
  std::vector<std::string> sections;       // roots under which the keys may lie; "" = top level
  std::vector<RecognitionRule> recognise;  // any of them suffices
  OnDemand<DialectMapping> mapping;        // parsed when a file of the dialect is first met
  std::vector<std::string> leaf_sections;  // generic only: sections in which bare leaf keys count
  std::vector<std::string>
      foreign_sections;  // sections whose keys never count (evaluation, inference, …)
  std::vector<std::string> phase_sections;  // each of these is a training phase of its own
  std::vector<std::string> partial_keys;    // keys of a file that is only a part: no defaults then
  std::vector<ValueMap> value_maps;
  std::vector<std::string> false_friends;  // documented keys that must not be read as facts
  std::vector<std::string>
      absent_switches;  // facts the framework cannot switch: absence is never reported
  std::vector<std::string> sources;
};

}  // namespace gpulint
