#pragma once

// What the interpreter knows of a value: itself, or that it is unknown, and who stated it.

#include "base/source_span.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace gpulint::python {

using TextId = std::uint32_t;
using ObjectId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xffffffffU;

enum class Kind : std::uint8_t {
  unknown,
  none,
  boolean,
  integer,
  real,
  text,      // paths and opened files too: `Path(p)`, `open(p)` are their path
  list,      // object
  tuple,     // object
  set,       // object
  dict,      // object; attributes and items are the same thing
  instance,  // object; of a class of the project, or made by a call of something outside
  function,  // index of a function of the project
  method,    // index of a bound method, or of a function with arguments given
  type,      // index of a class of the project
  module,    // object: its names
  external,  // text: dotted name of something outside ("torch.optim.AdamW")
  devices,   // how many GPUs take part, which only the machine knows; `integer`: kRanks or 0
  share,     // `real`, divided by that: each GPU's part of a number that is known
  scaled,    // `real`, multiplied by the number of ranks; `integer`: as of devices
};

/// Who states a value.
enum class Origin : std::uint8_t { nobody, code, given };

/// A file by its path: what it holds is not the path's letters.
inline constexpr std::int64_t kOpened = 1;

/// Of devices: all of the run, as ranks, and those for each of which schedules are stepped.
inline constexpr std::int64_t kRanks = 1;
inline constexpr std::int64_t kSteppingRanks = 2;

/// `ref` of devices: all GPUs of one machine, and no others.
inline constexpr std::uint32_t kOfMachine = 1;

struct Value {
  Kind kind = Kind::unknown;
  Origin origin = Origin::nobody;
  bool computed = false;     // worked out from others, of which `from` states one
  // text, object, function, class, method: an index by `kind`; of a number: of how it depends on
  // the size of a network's input, 0 = it does not; of an unknown one: of how it differs from round
  // to round of a loop, 0 = nobody knows that it does
  std::uint32_t ref = 0;
  std::int64_t integer = 0;  // boolean and integer; of text: kOpened; of an unknown one: a cause
  double real = 0;
  SourceSpan from = {};  // what states it: a literal, a config's value

  bool known() const { return kind != Kind::unknown; }
  bool is_number() const {
    return kind == Kind::integer || kind == Kind::real || kind == Kind::boolean;
  }
  bool counts_machine() const { return kind == Kind::devices && ref == kOfMachine; }
  double number() const { return kind == Kind::real ? real : static_cast<double>(integer); }
  bool has_object() const {
    return kind == Kind::list || kind == Kind::tuple || kind == Kind::set || kind == Kind::dict ||
           kind == Kind::instance || kind == Kind::module;
  }
};

/// A name with its value: of a scope, an instance, a dict.
struct Entry {
  TextId key = 0;
  SourceSpan key_span = {};
  Value value = {};
};

/// What an object is to a network.
enum class Part : std::uint8_t {
  none,
  network,    // of a class of networks; its attributes and items are its parts
  tensor,     // of `elements` numbers
  parameter,  // a tensor that is trained
};

struct Object {
  std::vector<Entry> entries;
  std::vector<Value> items;
  TextId made_by = kNone;      // external that a call of made it
  std::uint32_t type = kNone;  // class of the project
  ObjectId parent = kNone;     // scopes: where names are looked up next
  bool open = false;           // may hold more than is known
  Part part = Part::none;
  bool may_be_longer = false;   // filled in a loop that was run once for all its rounds
  bool is_sequence = false;     // an instance that is looped over by its items
  bool has_number_keys = false;  // of a dict: keys that read as whole numbers are numbers
  bool has_attributes = false;  // of a dict: a missing item is refused as an attribute as well
  bool is_strict = false;       // of a dict: a file laid over it brings no new keys or types
  bool is_options = false;      // what a parser returned, all of whose options are known
  bool is_shared = false;       // code that nobody sees may have changed it
  bool is_handed_over = false;  // to code that nobody sees, which may look at all of it
  std::int64_t elements = -1;   // of a tensor; below 0: unknown
  std::uint32_t tensor = kNone;  // of a network that is followed: the host's number of it
  std::int64_t cause = 0;        // of what nobody knows of it (causes.h)
};

}  // namespace gpulint::python
