#include "golden.h"
#include "report/html_budget.h"
#include "sample_result.h"
#include "written.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

namespace gpulint {
namespace {

/// The sample with a fleet of three.
Sample with_fleet() {
  Sample made = sample();
  PlanReport& plan = made.result.files[0].plans[0];
  const Interval need{Bytes::gib(16), Bytes::mib(18637), Bytes::gib(23)};
  plan.fleet = {{.gpu = nullptr,
                 .verdict = {.fit = Fit::does_not_fit},
                 .vram = need,
                 .usable = BytesRange{Bytes::gib(7), Bytes::gib(7)}},
                {.gpu = nullptr,
                 .verdict = {.fit = Fit::thin},
                 .vram = need,
                 .usable = BytesRange{Bytes::gib(22), Bytes::gib(22)}},
                {.gpu = nullptr,
                 .verdict = {.fit = Fit::fits},
                 .vram = need,
                 .usable = BytesRange{Bytes::gib(79), Bytes::gib(79)}}};
  return made;
}

void aim_fleet(Sample& made) {
  aim(made);
  for (FleetCell& cell : made.result.files[0].plans[0].fleet) cell.gpu = &made.gpu;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST_CASE("the HTML report is what its golden file says") {
  Sample made = with_fleet();
  aim_fleet(made);
  check_golden("report.html", written("html", made.result));
}

TEST_CASE(
    "the matrix says of every GPU whether it holds the config, in words and not by colour alone") {
  Sample made = with_fleet();
  aim_fleet(made);
  const std::string text = written("html", made.result);
  CHECK(count(text, "<td class=over>") == 1);
  CHECK(count(text, " does not fit<small>18.2 GiB</small>") == 1);
  CHECK(count(text, "~ thin<small>18.2 GiB</small>") == 1);
  CHECK(count(text, " fits<small>18.2 GiB</small>") == 1);
}

TEST_CASE("a bound is shown as a bound, never as the amount") {
  Sample made = with_fleet();
  aim_fleet(made);
  PlanReport& plan = made.result.files[0].plans[0];
  plan.estimate.vram->lower_bound_only = true;
  for (FleetCell& cell : plan.fleet) cell.lower_bound_only = true;
  const std::string text = written("html", made.result);
  CHECK(count(text, "<small>\u2265 16.0 GiB</small>") == 3);
  CHECK(text.find("at least <b>15.0 GiB</b>") != std::string::npos);
  CHECK(text.find("<div class=\"bar open\">") != std::string::npos);
  CHECK(text.find("peak <b>") == std::string::npos);
}

TEST_CASE("a column is headed by what the card has, whatever the first config keeps free") {
  Sample made = with_fleet();
  aim_fleet(made);
  made.gpu.usable_memory = BytesRange{Bytes::gib(24), Bytes::gib(24)};
  const std::string text = written("html", made.result);
  CHECK(count(text, "a10g<small><br>24.0 GiB</small>") == 3);
}

TEST_CASE("a term has the colour of its name, wherever it stands among the others") {
  Sample made = with_fleet();
  aim_fleet(made);
  std::vector<Term>& terms = made.result.files[0].plans[0].estimate.vram->terms;
  const auto colored = [](const Sample& of) {
    return count(written("html", of.result), "<i class=t3></i>activations");
  };
  CHECK(colored(made) == 1);
  std::reverse(terms.begin(), terms.end());
  CHECK(colored(made) == 1);
}

TEST_CASE("the matrix leads to each config, and the config back") {
  Sample made = with_fleet();
  aim_fleet(made);
  const std::string text = written("html", made.result);
  CHECK(count(text, "<a href=#c1>") == 1);
  CHECK(count(text, "<details id=c1 open>") == 1);
  CHECK(count(text, "<a href=#fleet>") == 1);
  CHECK(count(text, "id=fleet") == 1);
}

TEST_CASE("host memory, /dev/shm, time and cost have their figures") {
  Sample made = with_fleet();
  aim_fleet(made);
  Estimate& estimate = made.result.files[0].plans[0].estimate;
  estimate.run_time = TimeInterval{Seconds{3600}, Seconds{7200}, Seconds{14400}};
  estimate.cost = CostInterval{Money{1}, Money{2.5}, Money{5}};
  const std::string text = written("html", made.result);
  CHECK(text.find("host RAM: needs <b>63.9 GB</b>") != std::string::npos);
  CHECK(text.find("/dev/shm <b>58.9 GB</b> of 31.0 GB") != std::string::npos);
  CHECK(text.find("run <b>2 h</b> (60 min to 4 h)") != std::string::npos);
  CHECK(text.find("cost <b>$2.50</b> ($1.00 to $5.00)") != std::string::npos);
}

TEST_CASE("batches are drawn with their intervals, the pace and the card's line") {
  Sample made = with_fleet();
  aim_fleet(made);
  std::vector<BatchPoint> batches;
  for (const int batch : {1, 2, 4}) {
    const Bytes needed = Bytes::gib(4 * batch);
    batches.push_back({batch, {needed, needed, needed}, PerSecond{10.0 * batch}});
  }
  const std::string text = html_batches(made.result.files[0].plans[0], batches);
  CHECK(text.find("VRAM needed by per-device batch") != std::string::npos);
  CHECK(text.find("up to 40/s") != std::string::npos);
  CHECK(count(text, "usable 22.0 GiB") == 1);
}

TEST_CASE("the memory of one step is drawn over what was there before it, up to the card's line") {
  Sample made = with_fleet();
  aim_fleet(made);
  std::vector<CurvePoint> curve;
  for (const int gib : {2, 8, 15}) curve.push_back({Bytes::gib(gib), model::StepPhase::forward});
  for (const int gib : {15, 9, 1}) curve.push_back({Bytes::gib(gib), model::StepPhase::backward});
  const std::string text = html_timeline(made.result.files[0].plans[0], curve);
  CHECK(text.find("memory over one step, highest 18.2 GiB") != std::string::npos);
  CHECK(text.find(">backward</text>") != std::string::npos);
  CHECK(count(text, "usable 22.0 GiB") == 1);
}

TEST_CASE("a picture of an estimate is XML with a title, escaped text and the verdict in words") {
  Sample made = with_fleet();
  aim_fleet(made);
  made.result.files[0].path = "a<b>&\x1b.yaml";
  const OutputFormat* svg = find_format("svg");
  REQUIRE(svg != nullptr);
  const std::string text = svg->estimate(std::span(made.result.files.data(), 1), {});
  check_golden("estimate.svg", text);
  CHECK(text.find("<title id=\"title\">memory budget of a&lt;b&gt;&amp;") != std::string::npos);
  CHECK(text.find(">thin</text>") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("the page loads nothing, runs nothing and shows what a config holds as text") {
  Sample made = with_fleet();
  aim_fleet(made);
  made.result.findings[0].message = "<script>alert(1)</script> \x1b[31m \xe2\x80\xae";
  made.result.files[0].path = "a\"><img src=x onerror=alert(1)>.yaml";
  const std::string text = written("html", made.result);
  CHECK(text.find("<script") == std::string::npos);
  CHECK(text.find("<img") == std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\xe2\x80\xae") == std::string::npos);
  CHECK(text.find("default-src 'none'") != std::string::npos);
  CHECK(text.find("http") == text.find("http-equiv"));
}

TEST_CASE("a config nobody can estimate is listed with what it would need") {
  Sample made = with_fleet();
  aim_fleet(made);
  PlanReport& plan = made.result.files[0].plans[0];
  for (FleetCell& cell : plan.fleet) cell = {.gpu = &made.gpu};
  const std::string text = written("html", made.result);
  CHECK(text.find("<table>") == std::string::npos);
  CHECK(text.find("needs dataset_samples") != std::string::npos);
}

}  // namespace
}  // namespace gpulint
