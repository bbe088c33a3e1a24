#pragma once

// What the interpreter asks of whoever runs it, and what it reports.

#include "python/behaviour.h"
#include "python/command_line.h"
#include "python/syntax.h"
#include "python/value.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::python {

class Interpreter;

/// One parsed file.
struct Module {
  std::string path;  // from the project's root
  std::string text;
  SyntaxTree tree;
  FileId file = kNoFile;
  bool is_library = false;  // describes a library; its steps are not those of the project
};

/// What the name of an import stands for.
struct ImportedPlace {
  enum class Kind : std::uint8_t { outside, folder, file };
  Kind kind = Kind::outside;
  std::string path = {};
};

struct Argument {
  TextId name = kNone;  // kNone: by position
  Value value = {};
  SyntaxId node = kNoSyntax;  // as written in the caller; kNoSyntax where it came through ** or *
};

/// A loop around a call.
struct Round {
  std::uint32_t loop = 0;      // numbers the loops in the order they are entered
  Value times = {};            // unknown where nobody can tell
  Value over = {};             // what it goes over, where that is a name
  std::string_view text = {};  // of what it goes over, inside enumerate(…) and tqdm(…)
};

/// A guard of the statements inside an `if`: the number that `step % number` is taken by.
struct Guard {
  Value divisor = {};
  bool is_modulo = false;
  bool leaves_one = false;     // `step % number != 0` holds in all rounds but every n-th
  std::size_t loops = 0;       // around it
  std::uint32_t decision = 0;  // of the sides of its condition
  bool is_rest = false;        // of a round that its first side goes on from: `continue`
};

/// One side of a condition that nobody can decide.
struct Side {
  std::uint32_t decision = 0;  // numbers the conditions in the order they are met
  bool second = false;         // `else`
  std::uint32_t varies = 0;    // 1 + the loop from round to round of which it differs; 0: of none
  friend auto operator<=>(const Side& a, const Side& b) {
    return std::pair(a.decision, a.second) <=> std::pair(b.decision, b.second);
  }
  friend bool operator==(const Side& a, const Side& b) { return (a <=> b) == 0; }
};

/// A call of something outside the project.
struct Call {
  std::string_view name;      // dotted; ".step" for a method of an unknown object
  std::string_view target;    // source text of what the result is assigned to; "" for none
  std::string_view receiver;  // of a method: source text of the object
  std::span<const Argument> arguments;
  bool open = false;              // has arguments nobody knows (`**kwargs` of unknown content)
  std::span<const Side> sides;    // around it, the outermost first; none: it is certain to happen
  bool is_own = false;            // of a class whose constructor stands in the project
  bool in_loop = false;           // whose rounds were not run one by one
  bool is_listed = false;         // a comprehension goes over what it makes
  bool in_network = false;        // in the constructor of a network of the project
  Value chosen = {};              // of a class that a value of the config names: that name
  std::span<const Round> rounds;  // all loops around it, the outermost first
  std::span<const Guard> guards;
  const Module* module = nullptr;
  SyntaxId node = kNoSyntax;

  /// On which side of its condition the call is made.
  std::optional<Side> side_of(const Guard& guard) const {
    if (guard.is_rest) return Side{guard.decision, true};
    for (const Side& side : sides)
      if (side.decision == guard.decision) return side;
    return std::nullopt;
  }
};

/// What a decided condition leaves out.
struct Skipped {
  Value condition = {};
  std::span<const Side> sides;  // as of a call
  const Module* module = nullptr;
  SyntaxId node = kNoSyntax;  // a block, a branch or an expression
};

/// A `for` over a range, or a `while` that compares.
struct Loop {
  std::string_view target;  // source text of what counts
  std::string_view end;     // and of what it counts to
  Value start = {};
  Value stop = {};
  /// Where a `while` loop's counter goes up.
  enum class Counter : std::uint8_t { each_round, inside, elsewhere };
  bool counts = true;                     // up to `stop` and no further
  bool adds_one = false;                  // to what it counts to: `epochs + 1`
  Counter counter = Counter::each_round;  // inside: in a loop in it
  std::span<const Side> sides;            // as of a call
  const Module* module = nullptr;
  SyntaxId node = kNoSyntax;
  std::uint32_t number = 0;  // of its rounds
};

/// What a program has where nobody gives an option.
enum class Unset : std::uint8_t {
  value,
  text,   // another text: a name, a path
  empty,  // an empty text
  off,    // nothing, or false: it leaves out what the option turns on
};

/// What ends the program, met on a path that the values at hand decide.
struct Refusal {
  enum class How : std::uint8_t {
    raises,    // a `raise`, or a parser's `error`, that values of the config lead to
    asserts,   // an `assert` that they do not meet
    lacks,     // a key is read that the config does not have
    takes_no,  // an argument is handed over that the callee does not take
    unknown_key,  // settings that a file is laid over do not have it, and take no new ones
    mistyped,     // they have a value of another type
  };
  How how = How::raises;
  std::string_view name;                // lacks: the key; takes_no: the argument
  std::string_view callee;              // takes_no: the function or class; mistyped: what is wanted
  std::string_view given = {};          // mistyped: what the value is
  std::span<const SourceSpan> because;  // what states the values that decide; lacks: the mapping
  const Module* module = nullptr;
  SyntaxId node = kNoSyntax;  // takes_no: what the callee is defined by
  /// On one side of a condition that nobody can decide: it counts where the other side fails too.
  bool is_of_one_side = false;
  std::span<const Side> sides = {};  // all of those that lead to it
};

constexpr bool is_mapping_class(Behaviour how) {
  return how == Behaviour::mapping || how == Behaviour::strict_mapping;
}

/// A number as it is for inputs of several sizes at once: what differs between them depends on the
/// size of the input, so one pass through a network tells how.
inline constexpr std::size_t kLanes = 6;
using Lanes = std::array<double, kLanes>;

using TensorId = std::uint32_t;

/// An operand of an operation that is not its first tensor.
struct OperationArgument {
  enum class Kind : std::uint8_t { unknown, number, flag, word, numbers, tensors };
  std::string_view name;
  Kind kind = Kind::unknown;
  bool flag = false;
  bool is_list = false;  // numbers and tensors: more than one may stand here
  std::string_view word;
  std::vector<Lanes> numbers = {};
  std::vector<TensorId> tensors = {};
  std::size_t items = 0;   // of a list, also where one of them is unknown; 0: nobody knows
  std::int64_t cause = 0;  // of an unknown one (causes.h)
  TensorId like = kNone;   // some of whose sizes a list has that is unknown
};

/// An operation on tensors, in the words of the model language.
struct Operation {
  std::string_view name;
  TensorId tensor = kNone;  // that it reads first; kNone: nobody knows it
  std::span<const OperationArgument> arguments;
  ObjectId layer = kNone;    // whose weights it uses
  ObjectId weight = kNone;   // its `weight`, which another layer may have too
  bool detached = false;     // no gradient passes
  bool is_doubtful = false;  // it may not be done
  bool is_recomputed = false;
  SourceSpan place = {};
  std::int64_t cause = 0;  // why the tensor is not known
};

/// What an operation makes: a tensor with its sizes.
struct Operated {
  TensorId tensor = kNone;
  std::vector<Lanes> sizes = {};
};

class Host {
 public:
  virtual ~Host() = default;
  /// The file of a module, parsed; nullptr where the project has none.
  virtual const Module* module(const std::string& path) = 0;
  virtual bool is_folder(const std::string& path) = 0;
  /// A file of a folder that makes its own data, and makes no file of this name.
  virtual bool is_never_made(std::string_view path) {
    (void)path;
    return false;
  }
  /// Where an import led to in an earlier run, by what it depends on; nullptr: nobody asked.
  virtual const ImportedPlace* imported(const std::string& key) {
    (void)key;
    return nullptr;
  }
  virtual void keep_imported(const std::string& key, ImportedPlace place) {
    (void)key, (void)place;
  }
  /// The folder of the project from which a package is installed that lies nowhere else; "": none.
  virtual std::string installed_from(std::string_view package) {
    (void)package;
    return {};
  }
  virtual Behaviour behaviour(std::string_view name) = 0;
  /// Names of the Python files in a folder of the project.
  virtual std::vector<std::string> python_files(const std::string& folder) {
    (void)folder;
    return {};
  }
  /// What a config file holds. `path`: text, or unknown. `loader`: dotted name of the function.
  /// nullopt: unknown.
  virtual std::optional<Value> load(Interpreter&, const Value& path, std::string_view loader) = 0;
  /// The lines of a config that a program reads by itself: texts, each of which knows the value that
  /// stands in its line. nullopt: unknown.
  virtual std::optional<Value> lines(Interpreter&, [[maybe_unused]] const Value& path) {
    return std::nullopt;
  }
  /// The config that a decorator hands to the function it stands on.
  virtual std::optional<Value> entry_config(Interpreter&, std::span<const Argument>) = 0;
  virtual void called(Interpreter&, const Call&) = 0;
  /// How much was noted of calls so far, and that what was noted since may not happen.
  virtual std::size_t noted() const { return 0; }
  virtual void doubt_since(std::size_t noted) { (void)noted; }
  virtual void looped(Interpreter&, const Loop&) = 0;
  /// Whether a call of this name makes an optimizer. It counts inside the constructor of a network
  /// too, where others do not, and a class of the project that extends it makes one.
  virtual bool makes_optimizer(std::string_view name) { return name.empty(); }
  /// Whether a call of this name says how a network is trained: it counts in its constructor too.
  virtual bool counts_in_networks(std::string_view name) { return makes_optimizer(name); }
  /// The published optimizer whose class has this name; "": none.
  virtual std::string_view optimizer_of_class([[maybe_unused]] std::string_view name) { return {}; }
  virtual void skipped(Interpreter&, const Skipped&) {}
  /// The value of a command-line option; nullopt: its default counts.
  virtual std::optional<Value> argument(Interpreter&, std::string_view) { return std::nullopt; }
  /// Every option that the command line gives; nullopt: nobody knows which.
  virtual std::optional<std::vector<Argument>> given_options(Interpreter&) { return std::nullopt; }
  /// Whether an option that nobody gave has its default; false: it may be given another value.
  /// Of a switch that is off for want of a value: whoever starts the program for what it is asked
  /// about turns it on.
  virtual bool turns_on(std::string_view) { return false; }
  virtual bool knows_option(std::string_view, [[maybe_unused]] Unset how) { return true; }
  /// The plain word in front of all options, "--" where one of them comes first; "": there is none,
  /// or nobody knows it.
  virtual std::string_view subcommand() { return {}; }
  /// Of several commands the one that is meant where that is empty; "": any.
  virtual std::string_view meant(std::span<const std::string_view>) { return {}; }
  /// What a name or path that the config or the command line gives chose: a module of the project
  /// (`path`), or a value that it holds. What it holds as a config; nullopt: it is none. An unknown
  /// value: something of the module, and nobody knows what.
  virtual std::optional<Value> chosen(Interpreter&, const std::string& path, const Value& value) {
    (void)path, (void)value;
    return std::nullopt;
  }
  /// The environment variables that are known, in a dict that may hold more; nullopt: nobody knows
  /// what starts the program.
  virtual std::optional<Value> environment(Interpreter&) { return std::nullopt; }
  /// Nothing sets the variable before the program does.
  virtual bool is_unset(std::string_view) { return false; }
  /// No file of the project sets it, and nothing sets one of this name everywhere: whoever wants
  /// another value than the program's own says so as with an option.
  virtual bool is_left_to_default(std::string_view) { return false; }
  /// What a call of this name, given no config, finds in a file of its own; nullopt: nothing.
  virtual std::optional<Value> default_config(Interpreter&, std::string_view) {
    return std::nullopt;
  }
  /// A parser is given an option.
  virtual void adds(const CommandOption&) {}
  /// Something is read, for certain, of what a parser returned, and no option is called so.
  virtual void lacks_option(std::string_view, const Module&, SyntaxId) {}
  /// A function that loads a file is given nothing but that, on a path that is certain.
  virtual void loads_plainly(std::string_view, const Module&, SyntaxId) {}
  /// The command line is read, for certain, by a parser whose every option is known.
  virtual void parses(const CommandLine&) {}
  /// False: it is none, and the run goes on. One `is_of_one_side` is only asked about.
  virtual bool refused(const Refusal&) { return false; }
  /// Modules that describe, in Python, the names of a library that begin with `prefix` and a dot.
  /// Where there are any, networks of the project are built as their constructors say.
  virtual std::span<const Module* const> described(std::string_view prefix) {
    (void)prefix;
    return {};
  }
  /// Whether calls of networks are followed; then the functions below are asked.
  virtual bool follows() { return false; }
  /// An input of a network of which nothing is known yet.
  virtual TensorId open_tensor() { return kNone; }
  /// A tensor of known sizes that no operation made. `kind`: weights, int64 or boolean.
  virtual TensorId constant_tensor(std::span<const Lanes> sizes, std::string_view kind) {
    (void)sizes, (void)kind;
    return kNone;
  }
  /// A weight that an operation uses by itself.
  virtual TensorId weight_tensor(ObjectId parameter, std::span<const Lanes> sizes) {
    (void)parameter, (void)sizes;
    return kNone;
  }
  /// nullopt: nobody knows what it makes.
  virtual std::optional<Operated> operated(const Operation&) { return std::nullopt; }
  /// Sizes of a tensor; nullopt: open.
  virtual std::optional<std::vector<Lanes>> sizes_of(TensorId) { return std::nullopt; }
  virtual bool needs_gradient(TensorId) { return false; }
  /// What a function that nobody describes makes of data (`from`; kNone: of something else that is
  /// none of a network's): open, with as many rows. kNone: it is no data.
  virtual TensorId data_tensor(std::string_view by, TensorId from) {
    (void)by, (void)from;
    return kNone;
  }
  /// The first size of an open tensor, where that is known.
  virtual std::optional<Lanes> open_rows(TensorId) { return std::nullopt; }
  /// How many dimensions an open tensor has, where that is known.
  virtual std::optional<std::size_t> open_dimensions(TensorId) { return std::nullopt; }
  /// The sizes of an open tensor are taken apart into so many names.
  virtual void has_dimensions(TensorId tensor, std::size_t count) { (void)tensor, (void)count; }
  /// Whether a call of this network is followed: rounds of training are alike, and few tell all.
  virtual bool follows_network(ObjectId) { return true; }
  /// A pass through a network that may be taken again: what was recorded since `begin_pass` is
  /// dropped when `end_pass` says so: sizes of its inputs became known, or are not possible.
  /// `sizes`: of inputs, that the network states itself.
  enum class Pass : std::uint8_t { done, again, impossible };
  /// `is_stated`: somebody wrote them down as what the network is given.
  virtual void begin_pass(std::span<const std::int64_t> sizes, bool is_stated) {
    (void)sizes;
    (void)is_stated;
  }
  virtual Pass end_pass() { return Pass::done; }
  /// Whether this pass is known not to be possible: nothing more is followed in it.
  virtual bool is_refused() { return false; }
  /// A slice up to a number that depends on the input ends before it.
  virtual void cut_short() {}
  /// Of the input, at which the pass that was not possible would be; empty: nobody knows one.
  virtual std::vector<std::int64_t> fitting_sizes() { return {}; }
  /// A function that nobody describes is given a tensor that no gradient passes.
  virtual void lost_beside(std::string_view what, SourceSpan place) { (void)what, (void)place; }
  /// Something is called whose name begins with a dot, or a function of a library.
  virtual void passed(std::string_view name) { (void)name; }
  /// A call of something nobody knows, which may do anything (causes.h).
  virtual void unfollowed(std::int64_t cause) { (void)cause; }
  /// A trainer of a library makes an optimizer of all weights of a network.
  virtual void trains_all(Interpreter&, const Value& network, std::span<const Side> sides) {
    (void)network;
    (void)sides;
  }
  virtual void loop_began() {}
  virtual void loop_ended() {}
  /// What could not be followed, and where.
  virtual void lost(std::string_view what, SourceSpan place) { (void)what, (void)place; }
};

}  // namespace gpulint::python
