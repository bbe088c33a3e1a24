#include "report/repeats.h"

#include "unit/report/written.h"

#include <doctest/doctest.h>

#include <string>

namespace gpulint {
namespace {

/// Two files of one folder and one of another, each with one finding of `rule` about `key`.
LintResult found_thrice(const std::string& rule, const std::string& key, Severity severity) {
  LintResult result;
  for (const char* path : {"a/one.yaml", "a/two.yaml", "b/one.yaml"}) {
    Finding finding;
    finding.rule = rule;
    finding.severity = severity;
    finding.pointer = "/" + key;
    finding.message = "said";
    finding.span = {static_cast<FileId>(result.sources.size()), 0, 1};
    result.findings.push_back(finding);
    SourceText source;
    source.path = path;
    source.text = "x";
    source.lines = LineIndex(source.text);
    result.sources.push_back(source);
  }
  return result;
}

}  // namespace

TEST_CASE("a rule that speaks once in a project is told at its first place") {
  const LintResult result =
      found_thrice("key-gone-from-newer-releases", "warmup_ratio", Severity::note);
  const Repeats repeats(result, shipped_catalog());
  CHECK(repeats.count() == 2);
  CHECK_FALSE(repeats.is_repeat(result.findings[0]));
  CHECK(repeats.is_repeat(result.findings[2]));
  CHECK(repeats.of(result.findings[0]).size() == 2);
}

TEST_CASE("a rule that speaks once in a folder is told in each") {
  const LintResult result = found_thrice("test-split-trained-on", "x", Severity::note);
  const Repeats repeats(result, shipped_catalog());
  CHECK(repeats.count() == 1);
  CHECK_FALSE(repeats.is_repeat(result.findings[2]));
}

TEST_CASE("what is said in the same words of many commands is told at the first, errors too") {
  LintResult result = found_thrice("option-refused", "x", Severity::error);
  CHECK(Repeats(result, shipped_catalog()).count() == 2);
  result.findings[1].message = "said otherwise";
  CHECK(Repeats(result, shipped_catalog()).count() == 1);
}

TEST_CASE("errors, other keys and other rules are told at each place") {
  CHECK(
      Repeats(found_thrice("key-gone-from-newer-releases", "x", Severity::error), shipped_catalog())
          .count() == 0);
  CHECK(Repeats(found_thrice("duplicate-key", "x", Severity::note), shipped_catalog()).count() ==
        0);
  LintResult keys = found_thrice("key-gone-from-newer-releases", "x", Severity::note);
  keys.findings[1].pointer = "/y";
  CHECK(Repeats(keys, shipped_catalog()).count() == 1);
}

}  // namespace gpulint
