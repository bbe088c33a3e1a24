#include "unit/source/source_testing.h"

using namespace gpulint;           // NOLINT: tests
using namespace gpulint::testing;  // NOLINT: tests

namespace {

Document env(std::string path, std::string text) {
  Result<Document> document = read_env(std::move(path), std::move(text), 0);
  REQUIRE(document.has_value());
  return std::move(document).value();
}
Document script(std::string text) { return env("run.sh", std::move(text)); }

/// KEY=value of every member, in order.
std::string assignments(const Document& document) {
  std::string result;
  for (const Member& member : document.members(document.root())) {
    result += std::string(document.scalar(member.key)) + "=" +
              std::string(document.scalar(member.value)) + "|";
  }
  return result;
}

}  // namespace

TEST_CASE("assignments are read with and without export") {
  const Document document = script(
      "#!/bin/bash\nexport BATCH_SIZE=512 # per GPU\nNUM_WORKERS=16\nexport A=1 B='two words'\n"
      "C=3; D=\"4\" && E=5\n");
  CHECK(assignments(document) == "BATCH_SIZE=512|NUM_WORKERS=16|A=1|B=two words|C=3|D=4|E=5|");
  CHECK(written(document, "/B") == "'two words'");
  CHECK(document.line_column(document.node(document.at("/BATCH_SIZE")).begin) == LineColumn{2, 19});
  CHECK(comments(document) == std::vector<std::string>{"#!/bin/bash", "# per GPU"});
}

TEST_CASE("a variable for one command is not an assignment") {
  CHECK(assignments(script("CUDA_VISIBLE_DEVICES=0 python train.py --lr=1\n")).empty());
  CHECK(assignments(script("python x.py --a=1\nif [ $A == 1 ]; then\nA == 1\nls\n")).empty());
}

TEST_CASE("values are never expanded") {
  const Document document =
      script("A=$HOME/x\nB=${C:-a b}\nD=$(nproc --all)\nE=\"x$A\\\"\\$y\\n\"\n");
  CHECK(assignments(document) == "A=$HOME/x|B=${C:-a b}|D=$(nproc --all)|E=x$A\"$y\\n|");
}

TEST_CASE("here-documents assign nothing") {
  CHECK(assignments(script("cat <<'EOF' > f\nA=1\nEOF\nB=2\n")) == "B=2|");
  CHECK(assignments(script("cat <<EOF\nA=1\n")).empty());
  CHECK(assignments(script("grep x <<< \"$Y\"\nA=1\n")) == "A=1|");
}

TEST_CASE("quotes may span lines, and a quote that never closes hides only its line") {
  CHECK(assignments(script("A=\"x\ny\"\nB=1\n")) == "A=x\ny|B=1|");
  CHECK(assignments(script("A=\"x\nB=1\n")) == "B=1|");
}

TEST_CASE("dotenv values may hold blanks and stand behind blanks") {
  const Document document =
      env(".env", "NAME = my run # c\nURL=http://x/#y\nEMPTY=\nQ=\"a # b\"\n");
  CHECK(assignments(document) == "NAME=my run|URL=http://x/#y|EMPTY=|Q=a # b|");
  CHECK(written(document, "/NAME") == "my run");
  CHECK(written(document, "/EMPTY").empty());
}

TEST_CASE("assigning twice is a mistake in a dotenv file and usual in a script") {
  CHECK(env(".env", "A=1\nA=2\n").problems().size() == 1);
  CHECK(script("A=1\nA=2\n").problems().empty());
  CHECK(value(script("A=1\nA=2\n"), "/A") == "2");
}

TEST_CASE("a secret on a line that is not an assignment is not in the tree") {
  const Document document = script("curl -H 'Authorization: hunter2'\nA=1\n");
  CHECK(document.size() == 3);
}

TEST_CASE("line ends of every system are line ends") {
  CHECK(assignments(script("A=1\r\nB=2\r\nC=3\rD=4")) == "A=1|B=2|C=3|D=4|");
}
