#pragma once

// Python source as a flat tree: nodes in one array that know their bytes, linked by first child and
// next sibling. Written for Python 3.8 to 3.13. A statement nobody can read (Python 2, a merge
// conflict) becomes one node of kind `error` and the statements around it stay.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::python {

using SyntaxId = std::uint32_t;
inline constexpr SyntaxId kNoSyntax = 0xffffffffU;

/// What a node is; its children follow in the order named.
enum class Syntax : std::uint8_t {
  error,
  // expressions
  name,               // text
  number,             // text
  string,             // one or more literals side by side; the text is in the pool or the source
  formatted,          // f-string: string pieces and the expressions between them
  constant,           // text: True, False, None or ...
  tuple,              // items
  list,               // items
  set,                // items
  dict,               // key, value, key, value, …; a double_star stands alone
  call,               // function, then arguments: expressions, keyword, star, double_star
  keyword,            // text = name; value
  star,               // value
  double_star,        // value
  attribute,          // value; text = name
  subscript,          // value, index
  slice,              // lower, upper, step (an error node where one is left out)
  unary,              // operand; op
  binary,             // left, right; op
  compare,            // left, right; op (a chain is a `boolean` of its pairs)
  boolean,            // operands; op = and, or
  conditional,        // value, condition, otherwise
  lambda,             // parameters, body
  comprehension,      // element (and value of a dict), then comprehension_for; op = what it makes
  comprehension_for,  // target, iterable, conditions
  assign_expression,  // name, value
  await,              // value
  yield,              // value; op = 1: all items of it
  // statements
  block,        // statements
  assign,       // targets, then the value
  annotated,    // target, annotation, value where there is one
  augmented,    // target, value; op
  expression,   // value
  returns,      // value where there is one
  branch,       // condition, block, block or branch of the rest where there is one
  for_loop,     // target, iterable, block, block of else where there is one
  while_loop,   // condition, block, block of else where there is one
  with,         // with_items, block
  with_item,    // value, target where there is one
  attempt,      // block, then `handler` and blocks (op = 0 handler, 1 else, 2 finally)
  handler,      // block; text = name it binds
  function,     // parameters, block, decorators; text = name
  parameters,   // parameter nodes
  parameter,    // default where there is one; text = name; op = Parameter
  class_type,   // arguments (a call without function), block, decorators; text = name
  decorator,    // value
  import,       // aliases
  import_from,  // aliases; text = module; op = leading dots
  alias,        // text = dotted name; a name node where `as` gives it another
  pass,
  break_loop,
  continue_loop,
  raise,
  assertion,   // condition
  remove,      // targets of `del`
  match,       // subject, match_case
  match_case,  // block
  global,      // names
};

enum class Operator : std::uint8_t {
  none,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  matrix,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  logical_and,
  logical_or,
  logical_not,
  negate,
  plus,
  invert,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  not_in,
  is,
  is_not,
  makes_list,
  makes_set,
  makes_dict,
  makes_generator,
};

/// How a parameter takes its argument.
enum class Parameter : std::uint8_t { positional, keyword_only, rest, keyword_rest };

struct SyntaxNode {
  Syntax kind = Syntax::error;
  std::uint8_t op = 0;
  std::uint8_t in_pool = 0;  // 1: the text lies in the pool, else in the source
  std::uint8_t is_async : 1 = 0;
  std::uint8_t yields : 1 = 0;  // of a function: it makes a generator
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t text_begin = 0;
  std::uint32_t text_size = 0;
  SyntaxId first = kNoSyntax;
  SyntaxId next = kNoSyntax;
};

/// Byte range of a comment, from its '#'.
struct CommentRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class SyntaxTree {
 public:
  std::string_view source() const { return source_; }
  const SyntaxNode& node(SyntaxId id) const { return nodes_[id]; }
  SyntaxId root() const { return root_; }
  std::size_t size() const { return nodes_.size(); }
  std::string_view text(SyntaxId id) const {
    const SyntaxNode& at = nodes_[id];
    const std::string_view from = at.in_pool != 0 ? std::string_view(pool_) : source_;
    return from.substr(at.text_begin, at.text_size);
  }
  /// The name an alias binds: what stands behind `as`, else its own text.
  std::string_view bound_name(SyntaxId alias) const;
  /// The n-th child, or kNoSyntax.
  SyntaxId child(SyntaxId id, std::size_t n) const;
  const std::vector<CommentRange>& comments() const { return comments_; }
  /// Statements that could not be read, and the first of them.
  std::size_t errors() const { return errors_; }
  std::uint32_t first_error() const { return first_error_; }
  /// Which limit cut the tree short, or nullptr.
  const char* limit() const { return limit_; }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(SyntaxNode) + pool_.capacity(); }

 private:
  friend class Parser;
  std::string_view source_;
  std::string pool_;
  std::vector<SyntaxNode> nodes_;
  std::vector<CommentRange> comments_;
  SyntaxId root_ = kNoSyntax;
  std::size_t errors_ = 0;
  std::uint32_t first_error_ = 0;
  const char* limit_ = nullptr;
};

struct SyntaxLimits {
  std::size_t max_bytes = std::size_t{4} << 20;
  std::uint32_t max_nodes = 1'000'000;
  std::uint32_t max_depth = 100;  // of expressions and blocks inside one another
};

/// Reads a module. Never fails: what cannot be read is an error node, what is beyond a limit is
/// left out and named. `source` must outlive the tree.
SyntaxTree parse(std::string_view source, const SyntaxLimits& limits = {});

}  // namespace gpulint::python
