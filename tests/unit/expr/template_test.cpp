#include "unit/expr/fixture.h"

#include <doctest/doctest.h>

#include <limits>

namespace gpulint::expr {
namespace {

using fixture::Facts;
using fixture::table;

std::string template_error(std::string_view text) {
  Result<Template> parsed = Template::parse(text);
  std::optional<Error> error;
  if (!parsed) {
    error = parsed.error();
  } else if (Result<void> bound = parsed->bind(table()); !bound) {
    error = bound.error();
  }
  if (!error) return "";
  return error->message + " @" + std::to_string(error->where.begin) + "-" +
         std::to_string(error->where.end);
}

std::string rendered(std::string_view text, const Facts& facts = Facts{}) {
  if (const std::string error = template_error(text); !error.empty()) return "error: " + error;
  Template message = *Template::parse(text);
  (void)message.bind(table());
  return message.render(facts);
}

TEST_CASE("a template replaces its placeholders") {
  const Facts facts{{{"num_workers", std::int64_t{8}}, {"model", "resnet50"}}};
  CHECK(rendered("{model} reads with {num_workers} workers", facts) ==
        "resnet50 reads with 8 workers");
  CHECK(rendered("{num_workers * 2}", facts) == "16");
  CHECK(rendered("no placeholder") == "no placeholder");
  CHECK(rendered("") == "");
  CHECK(rendered("{model}'s size", facts) == "resnet50's size");
}

TEST_CASE("doubled braces are literal") { CHECK(rendered("${{VAR}} {1}") == "${VAR} 1"); }

TEST_CASE("quoted text in a placeholder may hold braces and colons") {
  CHECK(rendered("{'a}b:c' if true else \"d\"}") == "a}b:c");
}

TEST_CASE("an unknown value prints as unknown") {
  CHECK(rendered("{num_workers} and {vram.high:GiB}") == "unknown and unknown");
}

TEST_CASE("rendering lists each placeholder with its value and text") {
  const Facts facts{{{"vram.high", std::int64_t{27399614464}}}};
  Template message = *Template::parse("needs { vram.high :GiB} of {gpu.memory:GiB}");
  REQUIRE(message.bind(table()).has_value());
  std::vector<Template::Printed> numbers;
  CHECK(message.render(facts, &numbers) == "needs 25.5 GiB of unknown");
  REQUIRE(numbers.size() == 2);
  CHECK(numbers[0].name == "vram.high");
  CHECK(numbers[0].value == Value{std::int64_t{27399614464}});
  CHECK(numbers[0].text == "25.5 GiB");
  CHECK(numbers[1].name == "gpu.memory");
  CHECK_FALSE(numbers[1].value.known());
}

TEST_CASE("errors in a template point into its text") {
  CHECK(template_error("ab {1 +} c") == "found the end, expected a value @7-7");
  CHECK(template_error("ab {num_worker}") ==
        "unknown name \"num_worker\" (did you mean \"num_workers\"?) @4-14");
  CHECK(template_error("ab {1") == "\"{\" is not closed; a literal brace is \"{{\" @3-4");
  CHECK(template_error("ab }") == "\"}\" closes nothing; a literal brace is \"}}\" @3-4");
  CHECK(template_error("{}") == "an expression is missing here @1-1");
  CHECK(template_error("{:d}") == "an expression is missing here @1-1");
  CHECK(template_error("{gpu.memory:Gib}") ==
        "unknown format \"Gib\" (did you mean \"GiB\"?) @11-15");
  CHECK(template_error("{1:.12f}").starts_with("unknown format"));
}

TEST_CASE("a format prints only what it is for") {
  CHECK(template_error("{num_workers:GiB}") ==
        "format \"GiB\" prints a quantity in bytes, found a plain number @12-16");
  CHECK(template_error("{gpu.memory:%}") ==
        "format \"%\" prints a plain number, found a quantity in bytes @11-13");
  CHECK(template_error("{model:d}") == "format \"d\" prints a number, found text @6-8");
  CHECK(template_error("{num_workers:list}") ==
        "format \"list\" prints a list, found a plain number @12-17");
  CHECK(template_error("{sizes:d}") ==
        "format \"d\" prints a number, found a list of plain numbers @6-8");
  CHECK(template_error("{gpu.memory:h}") ==
        "format \"h\" prints a quantity in s, found a quantity in bytes @11-13");
  CHECK(template_error("{gpu.memory:$}") ==
        "format \"$\" prints a quantity in USD, found a quantity in bytes @11-13");
}

TEST_CASE("a count names what it counts, in the singular for one") {
  const Facts facts{{{"num_workers", std::int64_t{1}}}};
  CHECK(rendered("{num_workers:count worker}", facts) == "1 worker");
  CHECK(rendered("{24:count key and value head}") == "24 key and value heads");
  CHECK(rendered("{0:count rank}") == "0 ranks");
  CHECK(rendered("{1.0:count epoch}") == "1 epoch");
  CHECK(rendered("{1.5:count epoch}") == "1.5 epochs");
  CHECK(rendered("{3:count batch|batches}, {1:count batch|batches}") == "3 batches, 1 batch");
  CHECK(rendered("{num_workers:count worker}") == "unknown");
}

TEST_CASE("a count needs a noun and a plain number") {
  const std::string names =
      "format \"count\" names what is counted, as in \"count rank\" or \"count batch|batches\"";
  CHECK(template_error("{num_workers:count}") == names + " @12-18");
  CHECK(template_error("{num_workers:count |workers}") == names + " @12-27");
  CHECK(template_error("{num_workers:count worker|}") == names + " @12-26");
  CHECK(template_error("{gpu.memory:count byte}") ==
        "format \"count\" prints a plain number, found a quantity in bytes @11-22");
}

TEST_CASE("byte formats print three significant digits in the named unit") {
  CHECK(rendered("{25769803776 * 1 B:GiB}") == "24.0 GiB");
  CHECK(rendered("{2.07 GB:GB}") == "2.07 GB");
  CHECK(rendered("{1 TiB:GiB}") == "1,024 GiB");
  CHECK(rendered("{147 MiB:MiB}") == "147 MiB");
  CHECK(rendered("{52 MB:GB}") == "0.052 GB");
  CHECK(rendered("{230 MB:MB}") == "230 MB");
  CHECK(rendered("{3 KiB:KiB}") == "3.00 KiB");
  CHECK(rendered("{-3 GiB:GiB}") == "-3.00 GiB");
  CHECK(rendered("{147 MiB:auto}") == "147 MiB");
  CHECK(rendered("{147 MiB:bytes}") == "147 MiB");
  CHECK(rendered("{230 MB:auto_gb}") == "230 MB");
  CHECK(rendered("{512 B}") == "512 B");
  CHECK(rendered("{900 GB/s:GB/s}") == "900 GB/s");
}

TEST_CASE("factors and percentages round for people") {
  CHECK(rendered("{2.5:x} {4.55:x} {13.2:x} {2:x}") == "2.5x 4.5x 13x 2x");
  CHECK(rendered("{0.27:%} {0.083:%} {1:%} {0.004:%} {1.5:%}") == "27% 8.3% 100% 0.4% 150%");
}

TEST_CASE("plain number formats") {
  CHECK(rendered("{154140672:d}") == "154,140,672");
  CHECK(rendered("{-1234567:d} {999:d} {1000.6:d}") == "-1,234,567 999 1,001");
  CHECK(rendered("{256 * 3 * 224 * 224 * 4 * 1 B:d}") == "154,140,672");
  CHECK(rendered("{0.0001:g} {2e-5:g} {256:g} {0.1 + 0.2:g} {1e20:g}") ==
        "0.0001 2e-5 256 0.3 1e20");
  CHECK(rendered("{3.14159:.2f} {2:.0f} {-0.001:.1f}") == "3.14 2 0.0");
}

TEST_CASE("durations and money") {
  CHECK(rendered("{11520 s:h} {45 min:h} {12 s:h} {90 min:h}") == "3.2 h 45 min 12 s 1.5 h");
  CHECK(rendered("{3 days:h} {0.5 s:h} {120 us:h} {5 ns:h} {0 * 1 s:h}") ==
        "3 days 500 ms 120 us 5.00 ns 0 s");
  CHECK(rendered("{12.3 USD:$} {1234567 USD:$} {0.0042 USD:$} {-3 USD:$} {1.5:$}") ==
        "$12.30 $1,234,567 $0.0042 -$3.00 $1.50");
}

TEST_CASE("without a format the unit decides") {
  const Facts facts{{{"model", "a\x1b[2J"},
                     {"pin_memory", true},
                     {"adapter_targets", List{"q_proj", "v_proj"}},
                     {"sizes", List{std::int64_t{1}, 2.5}}}};
  CHECK(rendered("{1 / 3} {5 * 1.0} {1000000}") == "0.333333 5 1000000");
  CHECK(rendered("{2 h} {24 GiB} {3 USD} {1.2 USD/h}") == "2 h 24.0 GiB $3.00 $1.20/h");
  CHECK(rendered("{900 GB/s} {312 TFLOP/s} {3 / 2 s}") == "900 GB/s 312 TFLOP/s 1.50/s");
  CHECK(rendered("{pin_memory} {adapter_targets} {sizes:list}", facts) ==
        "true q_proj, v_proj 1, 2.5");
  CHECK(rendered("{model}", facts) == "a\\x1b[2J");
}

TEST_CASE("format prints NaN as unknown") {
  CHECK(format(Value{std::numeric_limits<double>::quiet_NaN()}, kNoUnit, "") == "unknown");
  CHECK(format(Value{}, kBytes, "GiB") == "unknown");
}

}  // namespace
}  // namespace gpulint::expr
