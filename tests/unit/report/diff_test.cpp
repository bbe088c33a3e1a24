#include "report/diff_report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace gpulint;

namespace {

void judge(DiffSide& side) {
  side.vram_verdict =
      verdict_on({*side.vram, side.vram_is_lower_bound, false}, side.usable_vram, 0.9);
}

ConfigDiff config(const std::string& path) {
  ConfigDiff diff;
  diff.path = path;
  diff.gpu = "a10g";
  DiffSide side;
  side.vram = Interval{Bytes::gib(4), Bytes::gib(5), Bytes::gib(6)};
  side.usable_vram = BytesRange{Bytes::gib(22), Bytes::gib(22)};
  judge(side);
  diff.before = side;
  side.vram = Interval{Bytes::gib(20), Bytes::gib(21), Bytes::gib(23)};
  judge(side);
  diff.after = side;
  return diff;
}

std::string change_of(const ConfigDiff& diff, const std::string& name) {
  for (const DiffRow& row : diff_rows(diff)) {
    if (row.name == name) return row.change;
  }
  return "no such row";
}

}  // namespace

TEST_CASE("the verdict on memory uses the whole interval") {
  const ConfigDiff diff = config("a.yaml");
  CHECK(diff.before->vram_verdict.fit == Fit::fits);
  CHECK(diff.after->vram_verdict.fit == Fit::thin);
  CHECK(diff.after->headroom() == Bytes::gib(1));
  CHECK(change_of(diff, "peak VRAM") == "+16.0 GiB (+320 %); fits -> thin");
}

TEST_CASE("a lower bound is shown as one, never subtracted, and only ever too large") {
  ConfigDiff diff = config("a.yaml");
  diff.after->vram_is_lower_bound = true;
  judge(*diff.after);
  CHECK(diff.after->vram_verdict.fit == Fit::unknown);
  CHECK_FALSE(diff.after->headroom());
  CHECK(change_of(diff, "peak VRAM") == "");
  CHECK(diff_rows(diff)[0].after == "at least 20.0 GiB");
  diff.after->vram->low = Bytes::gib(30);
  judge(*diff.after);
  CHECK(diff.after->vram_verdict.fit == Fit::does_not_fit);
  DiffResult result;
  result.configs.push_back(diff);
  const auto json = nlohmann::json::parse(diff_json(result));
  CHECK(json["configs"][0]["change"]["vram"].is_null());
}

TEST_CASE("a comment starts with its marker and stays within what GitHub takes") {
  DiffResult result;
  result.base = "main";
  result.head = "HEAD";
  for (int i = 0; i < 3000; ++i) {
    const std::string path = "configs/run_" + std::to_string(i) + ".yaml";
    result.configs.push_back(config(path));
    result.findings.push_back({.rule = "vram-over-budget",
                               .severity = Severity::error,
                               .path = path,
                               .at = {1, 1},
                               .pointer = "/x",
                               .message = std::string(400, '|'),
                               .is_new = true});
    result.left_out.push_back(path + ": cannot be read");
    result.exceeded.push_back(path + ": peak VRAM grows by more than 10%");
  }
  const std::string text = diff_markdown(result);
  CHECK(text.starts_with("<!-- gpulint diff -->\n"));
  CHECK(text.size() < 65'536);
  CHECK(text.find("more configs") != std::string::npos);
  CHECK(text.find("more findings") != std::string::npos);
  CHECK(text.ends_with("</details>\n"));
}

TEST_CASE("a commit is named by the beginning of its name, a branch by the whole") {
  DiffResult result;
  result.base = "0123456789abcdef0123456789abcdef01234567";
  result.head = "feature/longer-warm-up-for-the-large-model";
  const std::string text = diff_markdown(result);
  CHECK(text.find("gpulint: 0123456789 ") != std::string::npos);
  CHECK(text.find(result.base) == std::string::npos);
  CHECK(text.find("large-model") != std::string::npos);
}

TEST_CASE("names from a config cannot become Markdown, HTML or terminal commands") {
  DiffResult result;
  result.base = "<b>@team\x1b[31m";
  result.head = "HEAD";
  result.configs.push_back(config("a|b`<img>\n::error::x.yaml"));
  for (const std::string& text : {diff_markdown(result), diff_text(result, {})}) {
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("\n::error") == std::string::npos);
  }
  CHECK(diff_markdown(result).find("<img>") == std::string::npos);
  CHECK(diff_markdown(result).find("@team") == std::string::npos);
}
