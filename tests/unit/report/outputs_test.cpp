#include "base/text.h"
#include "finding/own_rules.h"
#include "report/log_text.h"
#include "unit/report/golden.h"
#include "unit/report/sample_result.h"
#include "unit/report/written.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace outputs_test {

using namespace gpulint;

namespace {

using nlohmann::json;

/// Everything a config or a file name might try, in one text.
const std::string kHostile =
    "\n::error file=x::owned\r%0A::add-mask::m ##[set-env name=A]b \x1b[31m]]>\"'<script>&"
    "`|`[a](http://x) @team \xe2\x80\xae\xf0\x9f\x94\xa5\xff";

LintResult hostile_result() {
  LintResult result = sample().result;
  Finding& finding = result.findings[1];
  finding.message = kHostile;
  finding.related = {{finding.span, kHostile}};
  finding.arithmetic = {kHostile};
  finding.fix->advice = kHostile;
  finding.phase = kHostile;
  result.sources[0].path = kHostile + ".yaml";
  result.files[0].path = kHostile + ".yaml";
  return result;
}

LintResult many(std::size_t count, Severity severity) {
  LintResult result = sample().result;
  result.findings.assign(count, result.findings[1]);
  for (Finding& finding : result.findings) finding.severity = severity;
  return result;
}

/// The sample with lines put above what its findings point at.
LintResult shifted() {
  LintResult result = sample().result;
  const std::string above = "# one\n# two\n";
  SourceText& source = result.sources[0];
  source.text = above + source.text;
  source.lines = LineIndex(source.text);
  for (Finding& finding : result.findings) {
    if (finding.span.file != 0) continue;
    finding.span.begin += static_cast<std::uint32_t>(above.size());
    finding.span.end += static_cast<std::uint32_t>(above.size());
  }
  return result;
}

std::vector<std::string> strings_at(const std::string& text, const std::string& pointer,
                                    const std::string& key) {
  std::vector<std::string> found;
  const json whole = json::parse(text);
  for (const json& each : whole.at(json::json_pointer(pointer))) {
    found.push_back(each.at(json::json_pointer(key)).get<std::string>());
  }
  return found;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

bool is_harmless_on_a_terminal(const std::string& text) {
  const bool controls = std::any_of(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f;
  });
  return !controls && text.find("\xe2\x80\xae") == std::string::npos;
}

}  // namespace

TEST_CASE("each format for other programs says all of a finding") {
  const Sample all = sample();
  check_golden("report_github.txt", written("github", all.result));
  check_golden("report_gitlab.json", written("gitlab", all.result));
  check_golden("report_junit.xml", written("junit", all.result));
  check_golden("report_checkstyle.xml", written("checkstyle", all.result));
  check_golden("report_rdjson.json", written("rdjson", all.result));
  check_golden("report.jsonl", written("jsonl", all.result));
  check_golden("report.md", written("markdown", all.result));
}

TEST_CASE("the SARIF report carries places, identities and fixes") {
  json report = json::parse(written("sarif", sample().result, {.exit_code = 1}));
  // The catalog grows; the golden file keeps what depends on the findings alone.
  json& rules = report["runs"][0]["tool"]["driver"]["rules"];
  rules = json::array({rules.back()});
  for (json& each : report["runs"][0]["results"]) each.erase("ruleIndex");
  check_golden("report.sarif", report.dump(2) + "\n");
}

TEST_CASE("a clean SARIF run still lists every rule with help, tags and precision") {
  const json run = json::parse(written("sarif", LintResult{}))["runs"][0];
  CHECK(run["results"] == json::array());
  CHECK(run["columnKind"] == "unicodeCodePoints");
  CHECK(run["automationDetails"]["id"] == "gpulint/");
  CHECK(run["invocations"][0]["executionSuccessful"] == true);
  const json& rules = run["tool"]["driver"]["rules"];
  CHECK(rules.size() == shipped_catalog().rules().size() + own_rules().size());
  for (const json& rule : rules) {
    CAPTURE(rule["id"]);
    CHECK(!rule["shortDescription"]["text"].get<std::string>().empty());
    CHECK(!rule["fullDescription"]["text"].get<std::string>().empty());
    CHECK(!rule["help"]["text"].get<std::string>().empty());
    CHECK(!rule["help"]["markdown"].get<std::string>().empty());
    CHECK(!rule["properties"]["tags"].empty());
    CHECK(rule["properties"].contains("precision"));
    CHECK(rule["properties"].contains("problem.severity"));
  }
}

TEST_CASE("a SARIF result points at its own rule") {
  LintResult result = sample().result;
  const json run = json::parse(written("sarif", result))["runs"][0];
  for (const json& each : run["results"]) {
    const std::size_t index = each["ruleIndex"];
    CHECK(run["tool"]["driver"]["rules"][index]["id"] == each["ruleId"]);
  }
}

TEST_CASE("identities survive lines put above") {
  const LintResult before = sample().result;
  const LintResult after = shifted();
  CHECK(strings_at(written("gitlab", before), "", "/fingerprint") ==
        strings_at(written("gitlab", after), "", "/fingerprint"));
  const std::string key = "/partialFingerprints/primaryLocationLineHash";
  CHECK(strings_at(written("sarif", before), "/runs/0/results", key) ==
        strings_at(written("sarif", after), "/runs/0/results", key));
}

TEST_CASE("equal findings have different identities") {
  const std::vector<std::string> found =
      strings_at(written("gitlab", many(2, Severity::error)), "", "/fingerprint");
  CHECK(found[0].ends_with("-1"));
  CHECK(found[1].ends_with("-2"));
}

TEST_CASE("GitHub gets ten annotations of a level and a count of the rest") {
  const std::string errors = written("github", many(25, Severity::error));
  CHECK(count(errors, "::error ") == 10);
  CHECK(errors.ends_with(
      "::notice title=gpulint::and 15 more findings; the job summary and the log list all\n"));
  const std::string notes = written("github", many(25, Severity::note));
  CHECK(count(notes, "::notice ") == 10);
  CHECK(notes.find("::and 16 more findings") != std::string::npos);
  CHECK(count(written("github", many(10, Severity::note)), "::notice ") == 10);
}

TEST_CASE("a value cannot issue a workflow command") {
  const std::string text = written("github", hostile_result());
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    const bool ours = line.starts_with("::error file=") || line.starts_with("::warning file=") ||
                      line.starts_with("::notice file=");
    CHECK(ours);
  }
  CHECK(text.find("%0A") == std::string::npos);
  CHECK(text.find("%250A") != std::string::npos);
  CHECK(is_harmless_on_a_terminal(text));
}

TEST_CASE("text in a GitHub log has its commands defused") {
  CHECK(safe_in_log("::error::x\n  ::y\na ::b\n", Syntax::plain) ==
        "\\x3a:error::x\n  \\x3a:y\na ::b\n");
  CHECK(safe_in_log("a ##[add-mask]b", Syntax::json) == "a ##\\u005badd-mask]b");
  CHECK(safe_in_log("a ##[add-mask]b", Syntax::markup) == "a ##&#91;add-mask]b");
}

TEST_CASE("text in a log of Azure Pipelines or TeamCity has its commands defused") {
  CHECK(safe_in_log("a ##vso[task.complete]b", Syntax::plain) == "a ##vso\\x5btask.complete]b");
  CHECK(safe_in_log("##VSO[x]", Syntax::json) == "##VSO\\u005bx]");
  CHECK(safe_in_log("##teamcity[x]", Syntax::markup) == "##teamcity&#91;x]");
  CHECK(safe_in_log("## vso[x] ##", Syntax::plain) == "## vso[x] ##");
}

TEST_CASE("what is meant for the runner stays a command in its log") {
  CHECK(safe_in_log("::error::x\n", Syntax::commands) == "::error::x\n");
}

TEST_CASE("a value cannot leave an XML attribute or element") {
  for (const std::string& text :
       {written("junit", hostile_result()), written("checkstyle", hostile_result())}) {
    CHECK(text.find("]]>") == std::string::npos);
    CHECK(text.find("<script") == std::string::npos);
    CHECK(text.find("]]&gt;&quot;&apos;&lt;script&gt;&amp;`|`") != std::string::npos);
    CHECK(is_harmless_on_a_terminal(text));
  }
}

TEST_CASE("a value is only text in Markdown") {
  const std::string text = written("markdown", hostile_result());
  for (const char* part : {"<script", "`", "](", "@team", "http://", "::error"}) {
    CAPTURE(part);
    CHECK(text.find(part) == std::string::npos);
  }
  CHECK(is_harmless_on_a_terminal(text));
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with("| ")) CHECK(std::count(line.begin(), line.end(), '|') == 5);
  }
}

TEST_CASE("JSON formats are valid and harmless whatever a config holds") {
  const LintResult result = hostile_result();
  for (const std::string& text : {written("sarif", result), written("gitlab", result),
                                  written("rdjson", result), written("jsonl", result)}) {
    CHECK(is_harmless_on_a_terminal(text));
    for (const std::string_view line : split(text, '\n')) CHECK(!trim(line).starts_with("::"));
  }
  CHECK(json::accept(written("sarif", result)));
  const std::string sarif = written("sarif", result);
  const json message = json::parse(sarif)["runs"][0]["results"][1]["message"]["text"];
  CHECK(message.get<std::string>().find("\\[a\\](http") != std::string::npos);
}

TEST_CASE("paths are those of the repository") {
  const Surroundings inside{.root = "/repo", .working_directory = "/repo/jobs"};
  CHECK(written("github", sample().result, inside).find("file=jobs/configs/a.yaml,") !=
        std::string::npos);
  const Surroundings outside{.root = "/repo", .working_directory = "/repository"};
  const std::string text = written("github", sample().result, outside);
  CHECK(text.find("file=") == std::string::npos);
  CHECK(text.find("::/repository/configs/a.yaml:2:13: ") != std::string::npos);
}

TEST_CASE("a clean run is a passed test, an empty list and a friendly sentence") {
  LintResult clean;
  CHECK(written("gitlab", clean) == "[]\n");
  CHECK(written("github", clean).empty());
  CHECK(written("jsonl", clean).empty());
  CHECK(
      written("junit", clean).find("<testcase classname=\"gpulint\" name=\"No errors found\"/>") !=
      std::string::npos);
  CHECK(written("markdown", clean).ends_with("No findings in 0 configs.\n"));
}

TEST_CASE("a file that could not be read is an error of JUnit and SARIF") {
  LintResult result;
  result.errors = {Error{.message = "no such <file>", .file = "a.yaml"}};
  const std::string junit = written("junit", result);
  CHECK(junit.find("tests=\"1\" failures=\"0\" errors=\"1\"") != std::string::npos);
  CHECK(junit.find("no such &lt;file&gt;") != std::string::npos);
  const json run = json::parse(written("sarif", result, {.exit_code = 2}))["runs"][0];
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  CHECK(run["invocations"][0]["exitCode"] == 2);
}

TEST_CASE("reviewdog columns count bytes") {
  LintResult result = sample().result;
  result.sources[1].text = "k: 你好 2e-5\n";
  result.sources[1].lines = LineIndex(result.sources[1].text);
  result.findings = {result.findings[2]};
  result.findings[0].span = span_of(result, 1, "2e-5");
  result.findings[0].fix.reset();
  const json report = json::parse(written("rdjson", result));
  CHECK(report["diagnostics"][0]["location"]["range"]["start"]["column"] == 11);
  CHECK(report["diagnostics"][0]["location"]["range"]["end"]["column"] == 15);
}

TEST_CASE("a comment stays below the limit of GitHub") {
  const std::string text = written("markdown", many(2000, Severity::error));
  CHECK(text.size() < 65'536);
  CHECK(text.find("more findings\n") != std::string::npos);
}

}  // namespace outputs_test
