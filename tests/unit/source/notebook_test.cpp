#include "source/notebook.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;

namespace {

/// Code of the module without blank lines and trailing blanks.
std::string code(const std::string& notebook) {
  const std::string module = notebook_module(notebook);
  CHECK(module.size() == notebook.size());
  std::string lines;
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find('\n', at), module.size());
    std::string line = module.substr(at, end - at);
    line.erase(line.find_last_not_of(' ') + 1);
    if (!line.empty()) lines += line + "|";
    at = end + 1;
  }
  return lines;
}

std::string cell(const std::string& source) {
  return "{\"cells\": [\n {\"cell_type\": \"markdown\", \"source\": [\"# a\"]},\n"
         " {\"cell_type\": \"code\",\n  \"source\": [\n" +
         source + "\n  ]}], \"nbformat\": 4}";
}

}  // namespace

TEST_CASE("code cells are one module, each byte in its place") {
  const std::string text = cell("   \"def f(x):\\n\",\n   \"    return x\\n\",\n   \"y = f(3)\"");
  CHECK(code(text) == "def f(x):|    return x|y = f(3)|");
  CHECK(notebook_module(text).find("y = f(3)") == text.find("y = f(3)"));
}

TEST_CASE("a cell may be one string") {
  CHECK(
      code("{\"cells\":[{\"cell_type\":\"code\",\"source\":\"a = 1\\nif a:\\n    b = 2\\n\"}]}") ==
      "a = 1|if a:|    b = 2|");
}

TEST_CASE("quotes open and close a text without changing it") {
  const std::string lines = code(cell("\"a = f(\\\"x/y\\\", z=\\\"\\\")\\n\", \"b = 'it'\\n\""));
  CHECK(lines.find("\"x/y\"") != std::string::npos);
  CHECK(lines.find("\"\"") != std::string::npos);
  CHECK(lines.find("b = 'it'") != std::string::npos);
  const std::string doc =
      code(cell("\"\\\"\\\"\\\"Says \\\"so\\\"\\n\", \"more\\\"\\\"\\\"\\n\", \"c = 1\""));
  CHECK(doc.find("\"\"\"Says") != std::string::npos);
  CHECK(doc.find("more\"\"\"") != std::string::npos);
}

TEST_CASE("commands to the notebook and cells in other languages are left out") {
  CHECK(code(cell("\"!pip install x\\n\", \"%cd y\\n\", \"a = 1 % 2\"")) == "a = 1 % 2|");
  CHECK(code(cell("\"%%bash\\n\", \"python train.py\"")).empty());
  CHECK(code(cell("\"%%time\\n\", \"a = 1\"")) == "a = 1|");
}

TEST_CASE("a line that goes on is joined to the next") {
  const std::string module = notebook_module(cell("\"a = 1 + \\\\\\n\",\n   \"  2\\n\""));
  const std::size_t at = module.find("\\\n");
  REQUIRE(at != std::string::npos);
  CHECK(module.find("  2", at) != std::string::npos);
}

TEST_CASE("what is no notebook is blank") {
  for (const std::string text :
       {"", "{", "[]", "{\"cells\": 3}", "{\"cells\": [{\"source\": [3]}]}",
        "{\"cells\":[{\"cell_type\":\"code\",\"source\":[null,{}]}]}"}) {
    CAPTURE(text);
    CHECK(code(text).empty());
  }
}
