#pragma once

// What the interpreter keeps of a program that is running. Internal to this room.

#include "python/host.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::python {

/// The position of an argument that is given by name only: beyond all there may be.
inline constexpr std::size_t kByName = 1'000;

/// Bytes of a text that a program puts together.
inline constexpr std::size_t kLongestMade = 4096;

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// As a set holds them, in the order in which they come.
std::vector<Value> each_once(const std::vector<Value>& items);

}  // namespace gpulint::python

namespace gpulint::python::running {

/// What holds the variables of the process.
inline constexpr std::string_view kEnvironment = "os.environ";
/// The part of a network that is one of two: the smaller of them.
inline constexpr std::string_view kEither = "either";
inline constexpr std::string_view kFails = "sys.exit(error)";
inline constexpr std::string_view kClassParser = "class_parser";  // who made such a parser
/// The type of a function with some of its arguments.
inline constexpr std::string_view kPartial = "functools.partial";
/// What a named tuple is made by; its first arguments are the names and their defaults.
inline constexpr std::string_view kNamedTuple = "collections.namedtuple()";

struct Arguments {
  std::vector<Argument> list = {};
  bool open = false;
};

struct Function {
  const Module* module = nullptr;
  SyntaxId node = kNoSyntax;
  ObjectId scope = 0;          // where it was defined
  std::uint32_t type = kNone;  // class it belongs to
  enum class Call : std::uint8_t { plain, is_static, is_class, property } call = Call::plain;
  bool takes_config = false;
  std::vector<Argument> entry = {};  // arguments of the decorator that hands over the config
  bool generates = false;
  bool detaches = false;  // no gradient passes what it does
  bool is_command = false;
};

/// What decorators make of a function that gets its options from the command line, or what holds
/// such functions.
struct Command {
  std::vector<Arguments> options = {};  // of decorators, in the order in which they are written
  bool has_context = false;             // its first argument is nobody's option
  bool fills_class = false;
  bool is_group = false;
  bool takes_parameters = false;  // its parameters are its options
  std::vector<std::pair<TextId, std::uint32_t>> below = {};  // functions, by the words for them
};

struct Type {
  const Module* module = nullptr;
  SyntaxId node = kNoSyntax;
  ObjectId scope = 0;  // its names
  std::vector<Value> bases = {};
  Behaviour fields = Behaviour::none;
  std::optional<bool> is_network = {};
};

struct Method {
  Value function = {};  // kind unknown or external: a method of something outside
  Value self = {};
  TextId name = kNone;
  std::vector<Argument> given = {};
  SyntaxId receiver = kNoSyntax;
  const Module* module = nullptr;
};

/// `__name__` in whatever was not started as the program.
inline constexpr std::string_view kOwnName = "module";
/// Behind the name of a module outside: the mapping of its names.
inline constexpr std::string_view kNames = ".__dict__";
/// `integer` of a dict that is the names of an instance: it has the methods of a dict, whatever the
/// instance's class has of that name.
inline constexpr std::int64_t kOfInstance = 1;
/// Argument of a config that a call composes: no command names another one.
inline constexpr std::string_view kComposes = "composes";
/// Calls, for those who describe them, of a number to the power of how many rounds there were.
inline constexpr std::string_view kPower = "number ** round";
inline constexpr std::string_view kStepwisePower = "number ** (round // n)";
/// Attribute of a network: its parts.
inline constexpr std::string_view kModules = "_modules";
/// What a dict holds under a key that nobody knows.
inline constexpr std::string_view kSomeKey = "?";

struct Frame {
  const Module* module = nullptr;
  ObjectId scope = 0;
  std::uint32_t function = kNone;
  std::vector<Value> returns = {};
  std::vector<TextId> globals = {};
  ObjectId module_scope = 0;
  int doubts = 0;              // around its call
  bool may_have_left = false;  // what stands below may not be reached
  std::size_t reasons = 0;     // around its call
  SyntaxId at = kNoSyntax;     // the statement that runs
  ObjectId yielded = kNone;    // of a generator: the list of its items
  std::size_t sides = 0;       // around its call
  int loops = 0;               // around its call
  int attempts = 0;            // blocks around the statement whose exceptions are handled
  std::int64_t parted = 0;     // cause of a condition of which one side may have left
  /// `steps = tqdm(range(n))`: names of what counts, and the calls that they are of.
  std::vector<std::pair<TextId, SyntaxId>> counting = {};
};

/// What is known of a value that differs from round to round of a loop.
struct Varying {
  enum class Form : std::uint8_t {
    counter,
    every,  // `counter % divisor`
    steps,  // `counter // divisor`
  };
  std::uint32_t loop = 0;
  Form form = Form::counter;
  Value divisor = {};
};

/// A slot that was changed in a branch, with what it held before.

struct Change {
  ObjectId object = 0;
  TextId key = kNone;  // kNone: the items
  bool had = false;
  bool was_open = false;
  Value old = {};
  std::vector<Value> items = {};
};

/// One side of a condition that nobody can decide, which is looked at by itself.
struct Trial {
  int doubts = 0;  // around it
  struct Met {
    Refusal refusal = {};
    std::vector<SourceSpan> because = {};  // what the refusal's own looks at
  };
  std::vector<Met> refusals = {};
  bool ended = false;                 // by one that nothing can follow
  std::vector<ObjectId> shared = {};  // with code nobody sees; not so on the other side

  bool fails(bool raises) const { return raises || !refusals.empty(); }
};

struct Undone {
  ObjectId object = 0;
  TextId key = kNone;
  bool has = false;
  Value value = {};
  std::vector<Value> items = {};
};

}  // namespace gpulint::python::running
