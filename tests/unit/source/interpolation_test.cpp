#include "source/interpolation.h"

#include "unit/source/source_testing.h"

using namespace gpulint;           // NOLINT: tests
using namespace gpulint::testing;  // NOLINT: tests

namespace {

/// "=literal", the text of the value, or "?why".
std::string resolved(const Document& document, std::string_view pointer) {
  const NodeId id = document.at(pointer);
  REQUIRE(id != kNoNode);
  const Resolved result = resolve_reference(document, id);
  switch (result.state) {
    case Resolved::State::literal:
      return "=" + std::string(document.scalar(id));
    case Resolved::State::unknown:
      return "?" + result.why;
    case Resolved::State::value:
      break;
  }
  return result.node == kNoNode ? result.text : written(document, result.node);
}
std::string resolved(std::string text, std::string_view pointer) {
  return resolved(yaml(std::move(text)), pointer);
}

}  // namespace

TEST_CASE("a scalar without references is literal") {
  CHECK(resolved("a: 1", "/a") == "=1");
  CHECK(resolved("a: \"cost $5\"", "/a") == "=cost $5");
}

TEST_CASE("absolute references lead to nodes, through further references") {
  const Document document =
      yaml("a: {b: [7, {c: 8}]}\nx: ${a.b.0}\ny: ${a.b[1].c}\nz: ${x}\nm: ${a}\nn: ${m.b[0]}\n");
  CHECK(resolved(document, "/x") == "7");
  CHECK(resolved(document, "/y") == "8");
  CHECK(resolved(document, "/z") == "7");
  CHECK(resolved(document, "/m") == "{b: [7, {c: 8}]}");
  CHECK(resolved(document, "/n") == "7");
  CHECK(resolve_reference(document, document.at("/z")).node == document.at("/a/b/0"));
}

TEST_CASE("relative references start at the mapping they stand in") {
  const Document document =
      yaml("a: 1\nm:\n  a: 2\n  b: ${.a}\n  n: {a: 3, c: \"${..a}\", d: \"${...a}\"}\n");
  CHECK(resolved(document, "/m/b") == "2");
  CHECK(resolved(document, "/m/n/c") == "2");
  CHECK(resolved(document, "/m/n/d") == "1");
  CHECK(resolved("a: ${....b}", "/a") == "?no `....b` in this file");
}

TEST_CASE("references inside text give text") {
  const Document document =
      yaml("n: r\nk: 2\na: runs/${n}-${k}\nb: ${a}/x\nc: \"\\\\${n} ${n}\"\n");
  CHECK(resolved(document, "/a") == "runs/r-2");
  CHECK(resolved(document, "/b") == "runs/r-2/x");
}

TEST_CASE("references may be computed") {
  CHECK(resolved("w: x\nm: {x: 5}\na: \"${m.${w}}\"", "/a") == "5");
}

TEST_CASE("environment variables are unknown unless a default is given") {
  CHECK(resolved("a: \"${oc.env:LR}\"", "/a") == "?environment variable LR");
  CHECK(resolved("a: \"${oc.env:LR,0.1}\"", "/a") == "0.1");
  CHECK(resolved("b: 7\na: \"${oc.env:LR,${b}}\"", "/a") == "7");
  CHECK(resolved("a: \"${oc.env:LR,'x,y'}\"", "/a") == "x,y");
}

TEST_CASE("oc.select takes what is there and the default otherwise") {
  CHECK(resolved("m: {k: 3}\na: \"${oc.select:m.k,1}\"", "/a") == "3");
  CHECK(resolved("a: \"${oc.select:m.k,1}\"", "/a") == "1");
  CHECK(resolved("a: \"${oc.select:m.k}\"", "/a") == "?oc.select: no `m.k` in this file");
}

TEST_CASE("what lies outside the file is unknown and never an error") {
  CHECK(resolved("a: \"${now:%Y}\"", "/a") == "?resolver now");
  CHECK(resolved("a: ${b.c}", "/a") == "?no `b.c` in this file");
  CHECK(resolved("a: ???", "/a") == "?`???` stands for a value given elsewhere");
  CHECK(resolved("a: ${b}\nb: ???", "/a") == "?`???` stands for a value given elsewhere");
  CHECK(resolved("a: $HOME/x", "/a") == "?`$HOME/x` stands for a value given elsewhere");
  CHECK(resolved("a: <your path>", "/a").front() == '?');
  CHECK(resolved("a: \"${b\"", "/a").front() == '?');
  CHECK(resolved("a: \"${}\"", "/a").front() == '?');
}

TEST_CASE("a file that is one package refers to itself by the package's name") {
  CHECK(resolved("lr: 5\na: ${model.lr}", "/a") == "5");
  CHECK(resolved("model: {x: 1}\nlr: 5\na: ${model.lr}", "/a") == "?no `model.lr` in this file");
}

TEST_CASE("cycles and long chains are unknown") {
  CHECK(resolved("a: ${b}\nb: ${a}", "/a") == "?`${b}` refers to itself");
  CHECK(resolved("a: x${a}", "/a") == "?`x${a}` refers to itself");
  CHECK(resolved("a: {b: \"${a.b.c}\"}", "/a/b").front() == '?');
  std::string chain = "k0: 1\n";
  for (int i = 1; i <= 40; ++i)
    chain += "k" + std::to_string(i) + ": ${k" + std::to_string(i - 1) + "}\n";
  const Document document = yaml(chain);
  CHECK(resolved(document, "/k31") == "1");
  CHECK(resolved(document, "/k40") == "?more than 32 references in a row");
}

TEST_CASE("references that double at each level stay bounded") {
  std::string text = "k0: xxxxxxxxxx\n";
  for (int i = 1; i <= 30; ++i) {
    const std::string before = "${k" + std::to_string(i - 1) + "}";
    text += "k" + std::to_string(i) + ": " + before + before + "\n";
  }
  CHECK(resolved(text, "/k30").front() == '?');
}

TEST_CASE("placeholders are recognised") {
  for (const std::string_view text :
       {"???", "<path>", "$NAME", "${X}", "a/${b}", "$(nproc)", "{{ x }}", "/data/$USER/x",
        "@optimizer", "%patch_size", "$@lr * 2"}) {
    CAPTURE(text);
    CHECK(is_placeholder(text));
  }
  for (const std::string_view text : {"", "?", "<", "<>", "$5", "a < b", "x$", "@", "50%", "a@b"}) {
    CAPTURE(text);
    CHECK_FALSE(is_placeholder(text));
  }
}
