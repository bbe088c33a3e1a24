#pragma once

// What a training does to each of its samples: a data set's `__getitem__`, functions that are mapped
// over one, that make batches. A program never calls them itself, so each is run once, on a sample
// that nobody knows, when the program has ended. Internal to this room.

#include "code/consumer_index.h"
#include "code/loader_role.h"
#include "code/seen_facts.h"
#include "python/interpreter.h"

#include <vector>

namespace gpulint {

class SampledData {
 public:
  /// A call that may be given a data set, or a function of samples.
  void given(python::Interpreter& in, const python::Call& call, const ConsumerIndex& consumers);
  bool is_running() const { return is_running_; }
  /// A call on the way of a sample.
  void called(const python::Interpreter& in, const python::Call& call,
              const ConsumerIndex& consumers);
  /// Adds what the calls say of facts that nothing else speaks of.
  void run(python::Interpreter& in, std::vector<SeenFact>& seen);

 private:
  struct Maker {
    python::Value value;
    std::string_view method = {};
    LoaderRole role = LoaderRole::unknown;
  };

  void add(const Maker& maker);

  std::vector<Maker> makers_;
  std::vector<SeenFact> seen_;
  bool is_running_ = false;
  LoaderRole role_ = LoaderRole::unknown;
};

}  // namespace gpulint
