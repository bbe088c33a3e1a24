#include "python/syntax.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint::python;

namespace {

std::string shape(const SyntaxTree& tree, SyntaxId id) {
  static const char* const kNames[] = {
      "error",      "name",        "number",     "string",      "formatted", "constant",
      "tuple",      "list",        "set",        "dict",        "call",      "keyword",
      "star",       "double_star", "attribute",  "subscript",   "slice",     "unary",
      "binary",     "compare",     "boolean",    "conditional", "lambda",    "comprehension",
      "for",        "walrus",      "await",      "yield",       "block",     "assign",
      "annotated",  "augmented",   "expression", "return",      "if",        "for",
      "while",      "with",        "item",       "try",         "handler",   "def",
      "parameters", "parameter",   "class",      "decorator",   "import",    "from",
      "alias",      "pass",        "break",      "continue",    "raise",     "assert",
      "del",        "match",       "case",       "global"};
  std::string made = kNames[static_cast<int>(tree.node(id).kind)];
  if (!tree.text(id).empty()) made += ":" + std::string(tree.text(id));
  if (tree.node(id).first == kNoSyntax) return made;
  made += "(";
  for (SyntaxId at = tree.node(id).first; at != kNoSyntax; at = tree.node(at).next) {
    if (at != tree.node(id).first) made += " ";
    made += shape(tree, at);
  }
  return made + ")";
}

std::string shape_of(std::string_view source) {
  const SyntaxTree tree = parse(source);
  return shape(tree, tree.root());
}

}  // namespace

TEST_CASE("operators bind as Python's do") {
  CHECK(shape_of("x = 1 + 2 * 3 ** -y") ==
        "block(assign(name:x binary(number:1 binary(number:2 binary(number:3 unary(name:y))))))");
  CHECK(shape_of("a - b - c") == "block(expression(binary(binary(name:a name:b) name:c)))");
  CHECK(shape_of("not a == b and c or d") ==
        "block(expression(boolean(boolean(unary(compare(name:a name:b)) name:c) name:d)))");
}

TEST_CASE("calls, attributes, subscripts and slices follow one another") {
  CHECK(
      shape_of("a.b(1, k=2, *r, **s)[i][1:2]") ==
      "block(expression(subscript(subscript(call(attribute:b(name:a) number:1 keyword:k(number:2) "
      "star(name:r) double_star(name:s)) name:i) slice(number:1 number:2))))");
}

TEST_CASE("a function has its parameters, its body and its decorators") {
  CHECK(
      shape_of(
          "@hydra.main(config_name=\"c\")\ndef f(a, *, b: int = 2, **k) -> None:\n  return a\n") ==
      "block(def:f(parameters(parameter:a parameter:b(number:2) parameter:k) block(return(name:a)) "
      "decorator(call(attribute:main(name:hydra) keyword:config_name(string:c)))))");
}

TEST_CASE("blocks end where their indentation does") {
  CHECK(shape_of("if a:\n  b\nelif c:\n  d\nelse: e\nf\n") ==
        "block(if(name:a block(expression(name:b)) if(name:c block(expression(name:d)) "
        "block(expression(name:e)))) expression(name:f))");
}

TEST_CASE("strings are decoded, joined and split at their fields") {
  CHECK(shape_of("x = 'a\\n' \"b\"") == "block(assign(name:x string:a\nb))");
  CHECK(shape_of("x = r'a\\n'") == "block(assign(name:x string:a\\n))");
  CHECK(shape_of("x = f'a{b.c}d{e:.2f}{{}}'") ==
        "block(assign(name:x formatted(string:a attribute:c(name:b) string:d error string:{})))");
  CHECK(shape_of("x = f'{d[\"k\"]}'") ==
        "block(assign(name:x formatted(subscript(name:d string:k))))");
}

TEST_CASE("a line of Python 2 is skipped and the lines around it stay") {
  const SyntaxTree tree = parse("a = 1\nprint \"x\"\nexec code in ns\nb = 2\n");
  CHECK(tree.errors() == 2);
  CHECK(shape(tree, tree.root()) ==
        "block(assign(name:a number:1) error error assign(name:b number:2))");
}

TEST_CASE("a broken header takes its block with it and no more") {
  CHECK(shape_of("def f(x y):\n  a = 1\n  if b:\n    c\nd = 2\n") ==
        "block(error assign(name:d number:2))");
}

TEST_CASE("a bracket that never closes ends before the next statement's keyword") {
  CHECK(shape_of("x = f(1,\n\ndef g():\n  pass\n") == "block(error def:g(parameters block(pass)))");
}

TEST_CASE("a line that goes back to no level of indentation ends the block it can") {
  CHECK(parse("if a:\n    b\n  c\nd\n").root() != kNoSyntax);
  CHECK(shape_of("if a:\n    b\n  c\nd\n").ends_with("expression(name:c) expression(name:d))"));
}

TEST_CASE("a function with a yield of its own makes a generator") {
  const auto yields = [](std::string_view source) {
    const SyntaxTree tree = parse(source);
    const SyntaxId first = tree.node(tree.root()).first;
    REQUIRE(tree.node(first).kind == Syntax::function);
    return tree.node(first).yields != 0;
  };
  CHECK(yields("def f():\n  for x in y:\n    yield x\n"));
  CHECK(yields("def f():\n  x = yield from y\n"));
  CHECK_FALSE(yields("def f():\n  return 1\n"));
  CHECK_FALSE(yields("def f():\n  def g():\n    yield 1\n  return g\n"));
  CHECK(yields("def f():\n  def g():\n    return 1\n  yield g\n"));
}

TEST_CASE("match is a statement only before a block of cases") {
  CHECK(shape_of("match = 1\nmatch(x)\n") ==
        "block(assign(name:match number:1) expression(call(name:match name:x)))");
  CHECK(shape_of("match x:\n  case 1:\n    a\n  case _: b\n") ==
        "block(match(name:x case(block(expression(name:a))) case(block(expression(name:b)))))");
}

TEST_CASE("new syntax is read: walrus, groups of context managers, type parameters") {
  CHECK(parse("if (n := f(x)) > 1: pass\n").errors() == 0);
  CHECK(parse("with (open(a) as b, open(c) as d):\n  pass\n").errors() == 0);
  CHECK(parse("with (yield x):\n  pass\n").errors() == 0);
  CHECK(parse("def f[T](x: T) -> T: return x\n").errors() == 0);
  CHECK(parse("async def f():\n  async with a as b:\n    await c\n").errors() == 0);
  CHECK(parse("try:\n  a\nexcept* E as e:\n  b\nfinally:\n  c\n").errors() == 0);
  CHECK(parse("lambda *a, k=1, **b: a\nx[1:2, ::3, ...]\n[*a, *b]\n{**a, 'b': 1}\n").errors() == 0);
}

TEST_CASE("nesting beyond the limit loses a statement, not the file") {
  std::string deep = "x = ";
  deep.append(5000, '(');
  deep += "\ny = 1\n";
  std::string closed = "x = " + std::string(5000, '[') + std::string(5000, ']') + "\ny = 1\n";
  const SyntaxTree tree = parse(closed);
  CHECK(tree.errors() == 1);
  CHECK(shape(tree, tree.root()) == "block(error assign(name:y number:1))");
  CHECK(parse(deep).errors() >= 1);
}
