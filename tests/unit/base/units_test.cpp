#include "base/units.h"

#include "base/result.h"
#include "base/severity.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace gpulint;

TEST_CASE("sizes saturate instead of overflowing") {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  CHECK((Bytes::of(kMax) + Bytes::of(1)).count() == kMax);
  CHECK((Bytes::gib(1) * kMax).count() == kMax);
  CHECK((Bytes::of(-kMax) - Bytes::of(kMax)).count() == std::numeric_limits<std::int64_t>::min());
  CHECK(saturating_multiply(-4, kMax) == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("rounding a double clamps infinities and makes NaN zero") {
  CHECK(saturating_round(1e300) == std::numeric_limits<std::int64_t>::max());
  CHECK(saturating_round(-INFINITY) == std::numeric_limits<std::int64_t>::min());
  CHECK(saturating_round(NAN) == 0);
  CHECK(saturating_round(2.5) == 3);
}

TEST_CASE("binary and decimal units are told apart in print") {
  CHECK(format_binary(Bytes::of(154'140'672)) == "147 MiB");
  CHECK(format_decimal(Bytes::of(154'140'672)) == "154 MB");
  CHECK(format_binary(Bytes::gib(80)) == "80.0 GiB");
  CHECK(format_decimal(Bytes::of(58'880'000'000)) == "58.9 GB");
  CHECK(format_binary(Bytes::of(512)) == "512 B");
  CHECK(format_binary(Bytes::of(-1536)) == "-1.50 KiB");
}

TEST_CASE("an error prints as much of its place as it knows") {
  CHECK(Error{"no such rule"}.to_string() == "no such rule");
  CHECK(Error{"bad", "a.yaml", {}, {3, 7}}.to_string() == "a.yaml:3:7: bad");
  CHECK(Error{"bad", "a.yaml"}.to_string() == "a.yaml: bad");
}

TEST_CASE("severities have names") {
  CHECK(name_of(Severity::warning) == "warning");
  CHECK(severity_from("error") == Severity::error);
  CHECK_FALSE(severity_from("fatal").has_value());
}
