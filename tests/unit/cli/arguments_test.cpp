#include "cli/arguments.h"

#include "report/report.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

using namespace gpulint;
using namespace gpulint::cli;

namespace {

using Words = std::vector<std::string>;

Arguments parsed(const Words& words) {
  const ParsedCommandLine line = parse_command_line(words);
  REQUIRE_MESSAGE(line.arguments, line.text);
  return *line.arguments;
}

std::string refused(const Words& words) {
  const ParsedCommandLine line = parse_command_line(words);
  CHECK_FALSE(line.arguments);
  CHECK(line.exit_code == 2);
  return line.text.substr(0, line.text.find('\n'));
}

}  // namespace

TEST_CASE("check is the default command and lint another name for it") {
  CHECK(parsed({"configs/"}).command == Command::check);
  CHECK(parsed({"configs/"}).paths == Words{"configs/"});
  CHECK(parsed({"check", "a.yaml", "b.yaml"}).paths == Words{"a.yaml", "b.yaml"});
  CHECK(parsed({"lint", "a.yaml"}).command == Command::check);
  CHECK(parsed({"--gpu", "a10g", "a.yaml"}).paths == Words{"a.yaml"});
}

TEST_CASE("check without a path looks at the working directory") {
  CHECK(parsed({"check"}).paths == Words{"."});
}

TEST_CASE("an option takes one value, so that paths may follow it") {
  const Arguments arguments = parsed({"--output", "json", "--set", "nodes=2", "a.yaml", "b.yaml"});
  CHECK(arguments.paths == Words{"a.yaml", "b.yaml"});
  REQUIRE(arguments.outputs.size() == 1);
  CHECK(arguments.outputs[0].format->id == "json");
}

TEST_CASE("a lone dash is a path, and so is what follows two dashes") {
  CHECK(parsed({"check", "-"}).paths == Words{"-"});
  CHECK(parsed({"check", "--", "--odd.yaml"}).paths == Words{"--odd.yaml"});
}

TEST_CASE("facts come from --set, --gpus and --nodes") {
  const Arguments arguments =
      parsed({"--set", "sample_bytes=600kB", "--gpus", "8", "--nodes", "2", "a"});
  using Fact = std::pair<std::string, std::string>;
  CHECK(arguments.facts == std::vector<Fact>{{"sample_bytes", "600kB"}});
  // These two fill what the config leaves open; --set wins over it.
  CHECK(arguments.default_facts == std::vector<Fact>{{"gpus_per_node", "8"}, {"nodes", "2"}});
}

TEST_CASE("outputs name a format and perhaps a file") {
  const Arguments arguments = parsed({"--output", "concise", "--output", "json:out/r.json", "a"});
  REQUIRE(arguments.outputs.size() == 2);
  CHECK(arguments.outputs[0].path.empty());
  CHECK(arguments.outputs[1].path == "out/r.json");
  CHECK(parsed({"a"}).outputs.size() == 1);
  CHECK(parsed({"a"}).outputs[0].format->id == "text");
}

TEST_CASE("the severity that fails a run is a warning unless said otherwise") {
  CHECK(parsed({"a"}).fail_on == Severity::warning);
  CHECK(parsed({"--fail-on", "note", "a"}).fail_on == Severity::note);
  CHECK_FALSE(parsed({"--fail-on", "never", "a"}).fail_on);
}

TEST_CASE("rules to report are names separated by commas, and may be given more than once") {
  const Arguments arguments = parsed(
      {"--select", "memory, amp-disabled", "--select", "host", "--ignore", "tf32-disabled", "a"});
  CHECK(arguments.select == Words{"memory", "amp-disabled", "host"});
  CHECK(arguments.ignore == Words{"tf32-disabled"});
}

TEST_CASE("short options stand for the long ones") {
  const Arguments arguments = parsed({"-q", "-o", "concise", "a"});
  CHECK(arguments.quiet);
  CHECK(arguments.outputs[0].format->id == "concise");
  CHECK(parsed({"-v", "a"}).verbose);
  CHECK(refused({"-q", "-v", "a"}) == "error: --quiet: leave out --quiet or --verbose");
}

TEST_CASE("--exit-zero fails on nothing, and says so when a severity is named too") {
  CHECK_FALSE(parsed({"--exit-zero", "a"}).fail_on);
  CHECK(refused({"--exit-zero", "--fail-on", "note", "a"}) ==
        "error: --exit-zero: is --fail-on never; leave out one of them");
}

TEST_CASE("statistics are counted for people alone") {
  CHECK(parsed({"--statistics", "a"}).statistics);
  CHECK(refused({"--statistics", "-o", "json", "a"}) ==
        "error: --statistics: only --output text counts; leave out --statistics");
}

TEST_CASE("help and version are commands too") {
  CHECK(parse_command_line({"version"}).text == parse_command_line({"--version"}).text);
  CHECK(parse_command_line({"help"}).text == parse_command_line({"--help"}).text);
  CHECK(parse_command_line({"help", "fit"}).text == parse_command_line({"fit", "--help"}).text);
  CHECK(parse_command_line({"help", "fit"}).exit_code == 0);
}

TEST_CASE("wrong usage says what was expected") {
  CHECK(refused({"--fail-on", "eror", "a"}) ==
        "error: --fail-on: \"eror\" is not one of error, warning, note, never (did you mean "
        "\"error\"?)");
  CHECK(refused({"--set", "x", "a"}) ==
        "error: --set: \"x\" is not FACT=VALUE, as in --set sample_bytes=600kB");
  CHECK(refused({"facts"}) == "error: name one config, as in gpulint facts configs/train.yaml");
  CHECK(refused({"facts", "--output", "concise", "a"}) ==
        "error: --output: \"concise\" is not one of text, json");
}

TEST_CASE("no arguments at all show the help as an error") {
  const ParsedCommandLine line = parse_command_line({});
  CHECK(line.exit_code == 2);
  CHECK(line.text.find("Examples:") != std::string::npos);
}

TEST_CASE("help shows examples before commands before options") {
  const std::string help = parse_command_line({"--help"}).text;
  CHECK(help.find("Examples:") < help.find("Commands:"));
  CHECK(help.find("Commands:") < help.find("--fail-on"));
}

TEST_CASE("the version is the build's") {
  std::ostringstream text;
  text << std::ifstream(std::string(GPULINT_SOURCE_DIR) + "/CMakeLists.txt").rdbuf();
  CHECK(text.str().find("project(gpulint VERSION " + std::string(kVersion)) != std::string::npos);
  CHECK(parse_command_line({"--version"}).text == "gpulint " + std::string(kVersion) + "\n");
}
