#pragma once

// The networks that a script trains: those whose parameters it gives to an optimizer, with the
// parameters that their constructors make. Internal to this room.

#include "code/seen_facts.h"
#include "python/interpreter.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// Of parameters: how many numbers they have, as far as that is known.
double elements(const python::Interpreter& in, const std::set<python::ObjectId>& parameters);

/// nullopt: nobody knows.
std::optional<bool> is_trained(const python::Interpreter& in, python::ObjectId parameter);

class TrainedNetworks {
 public:
  /// An optimizer is made.
  void optimized(python::Interpreter& in, const python::Call& call);
  /// Something that nobody knows is made. Where it is called an optimizer and is given weights, it
  /// is one; how many of them it trains is open.
  void maybe_optimized(python::Interpreter& in, const python::Call& call);
  /// An engine is given a network and a config in which it finds the optimizer that it makes.
  void handed_to_engine(python::Interpreter& in, const python::Call& call);
  /// A trainer makes an optimizer of all weights of a network.
  void handed_to_trainer(python::Interpreter& in, const python::Value& network,
                         std::span<const python::Side> sides);
  /// Something is trained with what was made so far.
  void went_backward() { ++trainings_; }
  /// The config lacks on these sides of conditions what is asked of it: what is trained there is
  /// trained by another one.
  void leave_out(const std::vector<std::vector<python::Side>>& lacking);
  /// The script has run: networks that made their optimizer in their constructor are whole now. If
  /// nobody knows which is trained, those that it built are.
  void finish(python::Interpreter& in);
  /// What all optimizers say together, when the script has run: parameters, and how many of them
  /// are trained. Counts to which more may come are marked so (`CodeFact::at_least`).
  std::vector<SeenFact> facts(const python::Interpreter& in) const;
  /// The same of the networks that were built, where nobody knows which is trained: a lower bound,
  /// should the script train.
  std::vector<SeenFact> facts_of_built(const python::Interpreter& in) const;
  /// The class of a network of the project that is trained and whose weights, or which of them are
  /// trained, nobody can tell: a model that is known by its name may be no more than a part of it.
  std::optional<SeenFact> own_network(const python::Interpreter& in,
                                      const std::vector<SeenFact>& counted) const;
  /// Whether all that a step calls is counted, should what it calls be known.
  bool is_whole_as_called(const python::Interpreter& in) const;
  /// The networks that are trained, those of the project where there are any.
  std::vector<python::Value> networks(const python::Interpreter& in) const;
  struct Beside {
    std::vector<std::string> names = {};  // of networks of other classes, or of unknown size
    std::int64_t of_copies = 0;           // elements of those of which all is known, and of copies
  };
  /// The networks that a step calls (`called`: their layers) beside those it trains, as far as they
  /// have more than a few weights for each of theirs. `are_followed`: all that they make is known.
  Beside beside(python::Interpreter& in, const std::set<python::ObjectId>& called,
                bool are_followed) const;
  /// What the count leaves out first, and its cause (python/causes.h).
  struct Missing {
    std::string what = {};  // "" = nothing
    std::int64_t cause = 0;
  };
  Missing missing(const python::Interpreter& in) const;

 private:
  using Objects = std::set<python::ObjectId>;

  /// One optimizer.
  struct Optimized {
    std::vector<python::Side> sides = {};
    Objects trained = {};  // that are trained for certain
    Objects weights = {};  // of all networks that these belong to
    bool is_whole = true;  // nothing else is trained, and nothing else belongs to the networks
    bool is_whole_as_called = true;  // unless an attribute nobody knows is a part: a step calls it
    std::set<std::size_t> networks = {};
    std::int64_t cause = 0;  // of what is not known of the parameters it is given
    bool has_weights = true;  // else nobody knows which it is given
    std::size_t trainings = 0;  // before it was made
  };
  struct Network {
    python::Value value = {};
    SourceSpan call = {};
    std::string unknown = {};  // a part of it that nobody can count
    std::int64_t cause = 0;    // why not
  };

  struct Alone {
    Network network = {};
    Objects weights = {};
    std::vector<python::Side> sides = {};
    bool is_own = false;  // of a class of the project
  };

  void give(python::Interpreter& in, const python::Value& value, Optimized& into, Objects& given,
            int depth) const;
  std::optional<Optimized> of_all_weights(python::Interpreter& in, const python::Value& network,
                                          std::span<const python::Side> sides);
  void add_networks(python::Interpreter& in, const Objects& given, Optimized& into);
  void add_only_network(python::Interpreter& in, Optimized& into);
  void add_built_networks(python::Interpreter& in);
  std::vector<Alone> alone(python::Interpreter& in) const;
  std::size_t number_of(const Network& network);
  bool is_made_again(const Optimized& earlier, const Optimized& made) const;
  void leave_out_idle();
  void add(std::vector<Optimized>& to, Optimized made);
  std::vector<const Optimized*> optimizers() const;
  std::vector<SeenFact> facts_of(const python::Interpreter& in,
                                 std::span<const Optimized* const> all, bool one_is_met) const;
  Optimized settled(const python::Interpreter& in, std::span<const Optimized* const> all,
                    std::size_t depth = 0, bool one_is_met = true) const;

  std::vector<Optimized> optimizers_;
  std::vector<Optimized> unknown_;  // that nobody describes, or that an engine makes
  std::vector<Optimized> trainers_;
  std::vector<Optimized> replaced_;  // optimizers whose networks were made again
  std::vector<Optimized> built_;  // networks of the project, if nothing else is known
  std::map<python::ObjectId, std::size_t> numbers_;
  std::vector<Network> networks_;
  std::size_t trainings_ = 0;
};

}  // namespace gpulint
