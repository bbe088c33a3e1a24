#pragma once

// What calls, loops and libraries mean, which `knowledge/consumers/` says, found by name.

#include "catalog/catalog.h"
#include "catalog/consumers.h"
#include "python/host.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gpulint {

/// Whether being called states it.
inline bool states_fact(const ConsumingCall& call, std::string_view fact) {
  return std::any_of(call.states.begin(), call.states.end(),
                     [&](const auto& each) { return each.first == fact; });
}

/// What `knowledge/consumers/` says, by name. Thread-safe.
class ConsumerIndex {
 public:
  explicit ConsumerIndex(std::span<const Consumers* const> all);

  python::Behaviour behaviour(std::string_view name) const;
  /// nullptr: nothing is known of this call.
  const ConsumingCall* call(std::string_view name) const;
  /// Whether a call of this name makes an optimizer.
  bool makes_optimizer(std::string_view name) const { return optimizers_.contains(name); }
  /// Whether such a call says of the run what it says in the constructor of a network too.
  bool counts_in_networks(std::string_view name) const;
  /// The one whose class has this name; "": none.
  std::string_view optimizer_of_class(std::string_view name) const;
  /// Fact that a loop over a name counts to, by that name, else by what it counts to
  /// ("cfg.epochs"); nullptr: none.
  const CountingLoop* loop(std::string_view counter, std::string_view end) const;
  /// The name by which calls are meant that others are made after (`.backward`); "": it is none.
  std::string_view precedes(std::string_view name) const;
  /// What the absence of words says of a training loop.
  std::span<const AbsentWords* const> absent() const { return absent_; }
  /// Modules that describe names of a library which begin with `prefix` and a dot; each is parsed
  /// when it is first asked for.
  std::span<const python::Module* const> described(std::string_view prefix) const;
  /// Whether one of these asks for the run's config by itself; none is parsed for that.
  bool takes_config(std::string_view prefix) const;
  /// Whether anything is known of what a library of this name holds.
  bool knows_library(std::string_view name) const;
  /// By what scripts that train are told from others.
  const ScriptMarks& scripts() const { return scripts_; }

 private:
  /// Parsed when it is first asked for.
  struct Described : python::Module {
    explicit Described(const DescribedModule& described) : source(described) {}
    const DescribedModule& source;
    std::once_flag once;
  };
  using DescribedModules = std::vector<python::Module*>;
  static std::span<const python::Module* const> parsed(const DescribedModules& modules);
  void add_optimizer(const ConsumingCall& call);

  std::unordered_map<std::string_view, python::Behaviour> behaviours_;
  std::vector<std::pair<std::string_view, python::Behaviour>> endings_;
  std::vector<std::pair<std::string_view, python::Behaviour>> beginnings_;
  std::vector<std::unique_ptr<Described>> modules_;
  std::unordered_map<std::string_view, DescribedModules> described_;
  std::vector<std::pair<std::string_view, DescribedModules>> described_below_;
  std::unordered_map<std::string_view, const ConsumingCall*> calls_;
  std::unordered_set<std::string_view> optimizers_;
  std::unordered_map<std::string_view, std::string_view> optimizer_classes_;
  const ConsumingCall* step_ = nullptr;  // of any optimizer
  std::vector<const CountingLoop*> loops_;
  std::vector<const AbsentWords*> absent_;
  std::set<std::string_view> preceding_;
  ScriptMarks scripts_;
};

/// The index of a catalog, made when code is first read and shared by all that read code with that
/// catalog, which must outlive it. Thread-safe.
class SharedConsumers {
 public:
  explicit SharedConsumers(const Catalog& catalog) : catalog_(catalog) {}
  const ConsumerIndex& get() const;

 private:
  const Catalog& catalog_;
  mutable std::once_flag once_;
  mutable std::optional<ConsumerIndex> index_;
};

}  // namespace gpulint
