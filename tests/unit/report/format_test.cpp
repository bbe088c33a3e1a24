#include "report/format.h"

#include "base/text.h"
#include "unit/report/sample_result.h"
#include "unit/report/written.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

using namespace gpulint;

namespace {

std::string text_of_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(GPULINT_SOURCE_DIR) + "/" + path).rdbuf();
  return text.str();
}

std::vector<std::string> ids_of(ReportKind kind) {
  std::vector<std::string> ids;
  for (const OutputFormat* format : formats_of(kind)) ids.emplace_back(format->id);
  return ids;
}

}  // namespace

TEST_CASE("every file of src/report/formats is a format of that name") {
  std::vector<std::string> files;
  const std::string folder = std::string(GPULINT_SOURCE_DIR) + "/src/report/formats";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files.push_back(entry.path().stem());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> ids;
  for (const OutputFormat* format : output_formats()) ids.emplace_back(format->id);
  std::sort(ids.begin(), ids.end());
  CHECK(ids == files);
}

TEST_CASE("text is the default, and the others follow by name") {
  CHECK(default_format().id == "text");
  const auto all = output_formats();
  CHECK(std::is_sorted(all.begin() + 1, all.end(),
                       [](const auto* one, const auto* other) { return one->id < other->id; }));
  CHECK(find_format("sarif")->file_name == "gpulint.sarif");
  CHECK(find_format("pdf") == nullptr);
}

TEST_CASE("each kind lists the formats that can show it") {
  CHECK(ids_of(ReportKind::facts) == std::vector<std::string>{"text", "json"});
  CHECK(ids_of(ReportKind::diff) == std::vector<std::string>{"text", "json", "markdown"});
  CHECK(ids_of(ReportKind::confirm) == ids_of(ReportKind::merge));
  CHECK(ids_of(ReportKind::estimate) == std::vector<std::string>{"text", "json", "svg"});
  CHECK(ids_of(ReportKind::list) == std::vector<std::string>{"text", "json"});
  CHECK(ids_of(ReportKind::explain) == ids_of(ReportKind::list));
  CHECK(commands_of(*find_format("markdown")) == "check diff");
}

TEST_CASE("every format shows something, says who reads it and has a file name") {
  for (const OutputFormat* format : output_formats()) {
    CAPTURE(format->id);
    CHECK_FALSE(commands_of(*format).empty());
    CHECK_FALSE(format->readers.empty());
    CHECK(format->file_name.find('.') != std::string_view::npos);
  }
}

TEST_CASE("a format that streams gives one line per finding, each with the same meaning alone") {
  const LintResult whole = sample().result;
  for (const OutputFormat* format : output_formats()) {
    if (!format->streams) continue;
    CAPTURE(format->id);
    std::string joined;
    for (const Finding& finding : whole.findings) {
      LintResult one = whole;
      one.findings = {finding};
      joined += written(format->id, one);
    }
    std::vector<std::string_view> lines = split(joined, '\n');
    std::string text = written(format->id, whole);
    std::vector<std::string_view> expected = split(text, '\n');
    CHECK(lines.size() == whole.findings.size() + 1);
    std::sort(lines.begin(), lines.end());
    std::sort(expected.begin(), expected.end());
    CHECK(lines == expected);
  }
}

TEST_CASE("what calls itself JSON is JSON") {
  for (const OutputFormat* format : output_formats()) {
    if (format->syntax != Syntax::json) continue;
    CAPTURE(format->id);
    const std::string text = written(format->id, sample().result);
    if (format->streams) {
      for (const std::string_view line : split(trim(text), '\n')) {
        CHECK(nlohmann::json::accept(line));
      }
    } else {
      CHECK(nlohmann::json::accept(text));
    }
  }
}

TEST_CASE("docs/outputs.md has a row for every format, with the words of the table") {
  const std::string page = text_of_file("docs/outputs.md");
  for (const OutputFormat* format : output_formats()) {
    const std::string mark = format == &default_format() ? " (default)" : "";
    const std::string row = "| `" + std::string(format->id) + "`" + mark + " | " +
                            std::string(format->readers) + " |\n";
    CAPTURE(row);
    CHECK(page.find(row) != std::string::npos);
  }
}
