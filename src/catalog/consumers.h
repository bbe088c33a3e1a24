#pragma once

// What calls of a library do with their arguments, and how its functions act on values: one file of
// knowledge/consumers/. The room `code` follows a config to them.

#include "base/result.h"
#include "catalog/data_kind.h"
#include "catalog/dialect.h"
#include "source/document.h"

#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// An argument that states a fact.
struct ConsumedArgument {
  std::string name;
  int position = -1;  // -1: by name only
  std::string fact;
  std::string evaluation_fact;  // what it states of a loader that feeds an evaluation; "" = nothing
  std::vector<ValueMapping> values;
  std::string value_map;  // of any dialect
  std::string otherwise;  // canonical value where the argument is left out; "" = unknown
  std::string with;       // only where this other argument is known and neither 0 nor false
};

/// One function or class, by its dotted names.
struct ConsumingCall {
  std::vector<std::string> names;      // ".step": a method of an object nobody knows
  std::vector<std::string> receivers;  // for those: words in the text of the object
  bool feeds_a_loop =
      false;  // a loader: its names and arguments tell whether it feeds the training
  std::vector<ConsumedArgument> arguments;
  std::vector<std::pair<std::string, std::string>> states;  // facts that being called states
  /// The fact that `step % n` before it states, and its value (1) where nothing stands before it.
  std::string every;
  std::string source;
  /// The dialect whose keys its arguments are called by, and the section they lie in; "" = none.
  std::string dialect;
  std::string under;
};

/// A loop that counts to a fact: `for epoch in range(n)`, `while step < n`.
struct CountingLoop {
  std::string fact;
  std::vector<std::string> counters;  // patterns of the name that counts: "epoch*"
};

/// Functions that act in one of the ways of python/host.h.
struct ActingFunctions {
  std::string behaviour;
  std::vector<std::string> names;  // "*.EasyDict": whatever stands before
};

struct Consumers {
  static constexpr DataKind kKind = DataKind::consumers;
  static Result<Consumers> parse(const Document& document);

  std::string id;
  std::string summary;
  std::vector<ConsumingCall> calls;
  std::vector<CountingLoop> loops;
  std::vector<ActingFunctions> functions;
};

}  // namespace gpulint
