#pragma once

// The state of a program that the interpreter runs: its texts and objects, the functions and
// conditions it stands in, and what has been noted of it.

#include "python/command_line.h"
#include "python/host.h"
#include "python/reach.h"
#include "python/running.h"
#include "python/syntax.h"
#include "python/texts.h"
#include "python/value.h"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gpulint::python {

struct InterpreterLimits {
  std::uint32_t max_steps = 100'000;  // nodes looked at
  // Of what modules do when they are imported, which leaves the program its own: a copy of a library
  // in the project registers a thousand models.
  std::uint32_t max_import_steps = 500'000;
  int max_depth = 24;                 // calls inside one another
  int max_nesting = 400;              // nodes inside one another
  std::size_t max_objects = 100'000;
  std::size_t max_items = 256;  // of one loop that is run item by item
  // Of building networks, which is counted apart: a deep one leaves the script its steps.
  std::uint32_t max_build_steps = 400'000;
  std::size_t max_built_objects = 200'000;
  int max_build_depth = 60;
  std::size_t max_built_items = 20'000;
};

/// A network that no other holds, with the call that made it.
struct BuiltNetwork {
  Value value = {};
  SourceSpan call = {};
  std::vector<Side> sides = {};  // of conditions around the call
};

/// The parameters of a network, each once.
struct NetworkParameters {
  std::vector<ObjectId> objects = {};
  std::vector<std::string> names = {};  // as many
  /// The first part that nobody can count: "Net.encoder"; "" = all are known.
  std::string unknown = {};
  /// The first attribute of which nobody knows what it is: a number mostly, and a part perhaps.
  std::string value = {};
  std::int64_t unknown_cause = 0;  // (causes.h)
  std::int64_t value_cause = 0;
  bool is_whole() const { return unknown.empty() && value.empty(); }
};

/// Parts of a network that were come to.
struct NetworkWalk {
  NetworkParameters found = {};
  std::vector<Value> networks = {};  // the outermost first
  std::vector<std::string> paths = {};
  std::vector<bool> met = {};
};

/// Notes of the module that runs (reach.h); looked up again by a copy, whose notes are its own.
struct MarksAtHand {
  const Module* module = nullptr;
  std::vector<std::uint8_t>* marks = nullptr;

  MarksAtHand() = default;
  MarksAtHand(const MarksAtHand&) {}
  MarksAtHand& operator=(const MarksAtHand&) = delete;
  ~MarksAtHand() = default;
};

/// All that a program has come to. Between two statements of the file that was started it can be
/// copied, and the copy runs on by itself.
class ProgramMemory {
 public:
  ProgramMemory(std::vector<std::string> search, const InterpreterLimits& limits)
      : search_(std::move(search)), limits_(limits) {}
  /// A measure of what a copy takes.
  std::size_t size() const { return objects_.size() + texts_.size() + functions_.size(); }

 protected:
  using Function = running::Function;
  using Type = running::Type;
  using Method = running::Method;
  using Frame = running::Frame;
  using Arguments = running::Arguments;
  using Command = running::Command;
  using Change = running::Change;
  using Undone = running::Undone;
  using Trial = running::Trial;
  using Varying = running::Varying;

  std::vector<std::string> search_;
  InterpreterLimits limits_;
  Texts texts_;
  std::deque<Object> objects_;
  std::deque<Function> functions_;
  std::deque<Type> types_;
  std::deque<Method> methods_;
  std::map<const Module*, ObjectId> modules_;
  std::vector<Frame> frames_;
  std::vector<Change> changes_;
  std::vector<Guard> guards_;
  std::vector<std::string_view> targets_;  // what the values being worked out are assigned to
  std::vector<Side> sides_;                // conditions around that nobody can decide
  std::vector<Round> rounds_;              // loops around
  std::vector<Varying> varying_;           // what unknown values stand for
  std::uint32_t decisions_ = 0;
  std::uint32_t entered_ = 0;  // loops
  int loops_ = 0;                  // those of them that are run once for all rounds
  std::vector<ObjectId> endless_;  // of each of these: the first object that it can have made
  SourceSpan asked_at_ = {};
  std::vector<Argument> composed_from_;  // of the call that names the folder of configs
  Value kept_config_;
  std::optional<Value> environment_;  // unknown: not asked for, or nobody knows it
  std::unordered_map<TextId, Value> described_;
  std::vector<BuiltNetwork> networks_;
  std::vector<std::shared_ptr<const Module>> evaluated_;  // texts that code evaluates
  std::vector<std::pair<const Module*, SyntaxId>> evaluating_;  // the calls that do, inside another
  std::map<ObjectId, CommandLine> command_lines_;  // of parsers
  std::map<ObjectId, ObjectId> option_groups_;     // of a parser's groups: the parser
  std::map<std::uint32_t, Command> commands_;      // of functions
  std::map<ObjectId, Command> apps_;               // of objects that hold such functions
  std::map<ObjectId, Value> makers_;  // of a defaultdict: what makes the value of a missing key
  std::map<ObjectId, std::vector<TextId>> outside_;  // of scopes: modules whose names they have
  std::map<const Module*, ObjectId> other_names_;    // of arguments, as a library takes them
  Value options_;                                    // the parser that all modules share
  // Keys of dicts that are no names: tuples and None, under the names that stand for them.
  std::unordered_map<TextId, Value> unspelt_keys_;
  bool converted_no_number_ = false;  // in the statement at hand: `int("auto")`
  Value chosen_ = {};           // what is called, where a value of the config names it
  std::size_t listed_in_ = 0;   // the frame in which a comprehension's items are made
  bool counts_ = false;   // a range at hand is listed, whoever says how long it is
  int building_ = 0;      // networks and what libraries describe, inside one another
  int constructing_ = 0;  // networks alone
  int library_calls_ = 0;
  int silent_ = 0;  // constructors whose calls say nothing of the training
  int doubts_ = 0;  // what stands around may not be run, or what it raises is handled
  bool may_have_ended_ = false;
  bool stopped_ = false;
  bool refused_ = false;
  std::vector<Trial> trials_;  // sides that are taken, inside one another
  bool has_schemas_ = false;   // configs are filled from classes of which nothing is known
  /// The condition at hand is about types, in which loaders differ, or about what is in a mapping
  /// of the code, which may be filled in ways nobody sees.
  bool is_guessed_ = false;
  bool was_guessed_ = false;  // the condition that was decided last
  Reach reach_;
  std::unordered_set<SourceSpan, HashOfSpan> looked_at_;  // a loop looks at the same ones again
  MarksAtHand marks_;
  std::unordered_map<TextId, int> said_;       // words, with how often nobody known answers to them
  SyntaxId callee_ = kNoSyntax;                // the attribute that is being called
  std::vector<SourceSpan>* stated_ = nullptr;  // by the config, in the condition at hand
  std::vector<std::vector<SourceSpan>> reasons_;  // of the conditions around that are decided
  std::vector<Lanes> lanes_;
  int following_ = 0;   // calls of networks, inside one another
  int detached_ = 0;    // where no gradient is wanted
  int recomputed_ = 0;  // what runs again in the backward pass
  int followed_doubts_ = 0;
  std::uint32_t follow_steps_ = 0;
  std::uint32_t build_steps_ = 0;
  std::size_t built_objects_ = 0;
  bool build_stopped_ = false;
  bool is_refused_ = false;  // by the host, which stopped it
  ObjectId fresh_ = kNone;  // objects from here on were made on the side that is being taken
  std::int64_t cause_ = 0;  // of the first unknown part of the expression at hand
  int nesting_ = 0;
  std::uint32_t steps_ = 0;
  bool over_parts_ = false;         // a loop over the parts of a network runs
  std::uint32_t part_steps_ = 0;    // of such loops, which leave the script its own
  std::uint32_t steps_before_ = 0;  // the one that runs
  std::uint32_t steps_lent_ = 0;    // to it
  std::uint32_t import_steps_ = 0;
  int importing_ = 0;               // modules, inside one another
  int trying_ = 0;                  // constructors that may fail (trials.cpp)
  std::uint32_t tried_steps_ = 0;  // of those, which leave the program its own
  bool truncated_ = false;
  SyntaxId next_ = kNoSyntax;  // statement of the file that was started
};

class ProgramState : protected ProgramMemory {
 public:
  // values, for hosts
  TextId intern(std::string_view text);
  std::string_view text(TextId id) const { return texts_[id]; }
  std::string_view text_of(const Value& value) const {
    return value.kind == Kind::text || value.kind == Kind::external ? text(value.ref)
                                                                    : std::string_view();
  }
  Value make_text(std::string_view text, SourceSpan from = {}, Origin origin = Origin::code);
  Value make_object(Kind kind);
  Object& object(ObjectId id) { return objects_[id]; }
  const Object& object(ObjectId id) const { return objects_[id]; }
  /// The code of a function of the project, or of the one behind a `partial`; "" of anything else.
  std::string_view code_of(const Value& function) const;
  /// That of the innermost function that runs.
  std::string_view running_code() const;
  const Entry* find(ObjectId object, TextId key) const;
  void set(ObjectId object, TextId key, const Value& value, SourceSpan key_span = {});
  void append(ObjectId list, const Value& value);

 protected:
  // numbers that depend on the size of a network's input (followed_tensors.cpp)
  Lanes lanes_of(const Value& number) const;
  bool has_lanes(const Value& value) const;
  // keys of dicts (collections.cpp)
  std::optional<std::string> key_name(const Value& value) const;
  TextId key_of(const Value& value);
  bool set_item(const Value& mapping, const Value& key, const Value& value, SourceSpan key_span);

  ProgramState(Host& host, ProgramMemory memory) : ProgramMemory(std::move(memory)), host_(host) {}

  ObjectId new_object();
  bool is_built(ObjectId id) const { return id >= fresh_; }
  void record(ObjectId object, TextId key);

  Host& host_;
  std::int64_t joining_ = kNoCause;  // why both of the sides at hand are taken
};

}  // namespace gpulint::python
