// The low end of an estimate against the memory that scripts state (tests/stated_memory/).

#include "lint/lint.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace stated_memory_test {

using namespace gpulint;

namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

/// GiB of one device as the first comment says: "# 2 * 45GiB".
double stated_in(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::size_t times = line.find('*');
  const std::size_t number =
      line.find_first_of("0123456789", times == std::string::npos ? 0 : times);
  REQUIRE(number != std::string::npos);
  return std::strtod(line.c_str() + number, nullptr);
}

Estimate estimate_of_script(const std::string& text) {
  const MemoryReader reader({{"train.sh", text}});
  LintRequest request;
  request.paths = {"train.sh"};
  request.options.keep_plans = true;
  request.options.gpu = "a100-sxm4-80gb";
  const LintResult result = lint(session_over(reader), request);
  REQUIRE(result.files.size() == 1);
  REQUIRE(result.files.front().plans.size() == 1);
  return result.files.front().plans.front().estimate;
}

}  // namespace

TEST_CASE("the low end of an estimate is below the memory that a script states") {
  const auto folder = std::filesystem::path(GPULINT_SOURCE_DIR) / "tests" / "stated_memory";
  int scripts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".sh") continue;
    CAPTURE(entry.path().filename().string());
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Estimate known = estimate_of_script(text);
    REQUIRE(known.vram);
    CHECK(known.vram->needed.low.as_double() / kGib > 1);
    CHECK(known.vram->needed.low.as_double() / kGib <= stated_in(text));
    ++scripts;
  }
  CHECK(scripts == 6);
}

}  // namespace stated_memory_test
