#include "unit/expr/fixture.h"

#include <doctest/doctest.h>

#include <limits>

namespace gpulint::expr {
// doctest prints values with this.
inline std::ostream& operator<<(std::ostream& out, const Value& value) {
  return out << format(value, kNoUnit, "");
}
}  // namespace gpulint::expr

namespace gpulint::expr {
namespace {

using fixture::error_of;
using fixture::Facts;
using fixture::holds;
using fixture::value_of;
using fixture::whole;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
const Value kUnknown;

TEST_CASE("arithmetic keeps integers and turns mixed operands into floats") {
  CHECK(value_of("2 + 3") == whole(5));
  CHECK(value_of("2 - 3") == whole(-1));
  CHECK(value_of("2 * 3") == whole(6));
  CHECK(value_of("2 + 0.5") == Value{2.5});
  CHECK(value_of("2 * 0.5") == Value{1.0});
  CHECK(value_of("1 - 0.25") == Value{0.75});
  CHECK(value_of("1_000 + 1") == whole(1001));
  CHECK(value_of("1e-4") == Value{1e-4});
  CHECK(value_of(".5") == Value{0.5});
}

TEST_CASE("a slash always divides to a float") {
  CHECK(value_of("6 / 3") == Value{2.0});
  CHECK(value_of("1 / 4") == Value{0.25});
}

TEST_CASE("floor division and remainder round toward minus infinity") {
  CHECK(value_of("7 // 2") == whole(3));
  CHECK(value_of("-7 // 2") == whole(-4));
  CHECK(value_of("7 // -2") == whole(-4));
  CHECK(value_of("7.5 // 2") == Value{3.0});
  CHECK(value_of("7 % 3") == whole(1));
  CHECK(value_of("-7 % 3") == whole(2));
  CHECK(value_of("7 % -3") == whole(-2));
  CHECK(value_of("-7.5 % 2") == Value{0.5});
}

TEST_CASE("integer arithmetic saturates") {
  CHECK(value_of("9223372036854775807 + 1") == whole(kMax));
  CHECK(value_of("-9223372036854775807 - 10") == whole(kMin));
  CHECK(value_of("9223372036854775807 * 2") == whole(kMax));
  CHECK(value_of("9223372036854775807 * -2") == whole(kMin));
  CHECK(value_of("0 - (-9223372036854775807 - 1)") == whole(kMax));
  CHECK(value_of("(-9223372036854775807 - 1) // -1") == whole(kMax));
  CHECK(value_of("(-9223372036854775807 - 1) % -1") == whole(0));
  CHECK(value_of("abs(-9223372036854775807 - 1)") == whole(kMax));
  CHECK(value_of("9000000000 GiB") == whole(kMax));
}

TEST_CASE("division by zero and results no float holds are unknown") {
  for (const char* source : {"1 / 0", "1 // 0", "1 % 0", "1.5 / 0", "1.5 // 0.0", "1.5 % 0",
                             "1e308 * 10", "-1e308 * 10", "1e308 + 1e308", "ceil(1e300)"}) {
    CAPTURE(source);
    CHECK(value_of(source) == kUnknown);
  }
}

TEST_CASE("NaN and infinity of a fact or a function are unknown") {
  const Facts facts{{{"learning_rate", std::numeric_limits<double>::quiet_NaN()},
                     {"num_workers", std::numeric_limits<double>::infinity()},
                     {"sizes", List{std::numeric_limits<double>::quiet_NaN(), whole(1)}}}};
  CHECK(value_of("learning_rate", facts) == kUnknown);
  CHECK(value_of("known(learning_rate)", facts) == Value{false});
  CHECK(value_of("num_workers > 1", facts) == kUnknown);
  CHECK(value_of("sizes[0]", facts) == kUnknown);
  CHECK(value_of("max(sizes)", facts) == kUnknown);
  CHECK(value_of("sum(sizes)", facts) == kUnknown);
  CHECK(value_of("sizes == sizes", facts) == kUnknown);
}

TEST_CASE("quantities are held in base units") {
  CHECK(value_of("80 GiB") == whole(85899345920));
  CHECK(value_of("80GiB") == whole(85899345920));
  CHECK(value_of("5 MB") == whole(5000000));
  CHECK(value_of("1.5 KiB") == Value{1536.0});
  CHECK(value_of("2 h") == whole(7200));
  CHECK(value_of("2 min + 1 s") == whole(121));
  CHECK(value_of("250 ms") == Value{0.25});
  CHECK(value_of("900 GB/s") == whole(900000000000));
  CHECK(value_of("3.6 USD/h * 1 h") == Value{3.6});
  CHECK(value_of("312 TFLOP/s == 0.312 PFLOP/s") == Value{true});
  CHECK(value_of("10 GB/2") == Value{5e9});
}

TEST_CASE("comparisons are exact between integers and floats") {
  CHECK(value_of("3 < 4") == Value{true});
  CHECK(value_of("3 <= 3") == Value{true});
  CHECK(value_of("3 > 4") == Value{false});
  CHECK(value_of("3 >= 4") == Value{false});
  CHECK(value_of("3 == 3.0") == Value{true});
  CHECK(value_of("3 != 3.0") == Value{false});
  CHECK(value_of("9007199254740993 == 9007199254740992.0") == Value{false});
  CHECK(value_of("9223372036854775807 < 9223372036854775808.0") == Value{true});
}

TEST_CASE("equality works on text, truth and lists") {
  const Facts facts{{{"mixed_precision", "bf16"}, {"pin_memory", false}}};
  CHECK(value_of("mixed_precision == 'bf16'", facts) == Value{true});
  CHECK(value_of("mixed_precision != \"bf16\"", facts) == Value{false});
  CHECK(value_of("pin_memory == false", facts) == Value{true});
  CHECK(value_of("[1, 2] == [1, 2.0]") == Value{true});
  CHECK(value_of("[1, 2] == [1, 3]") == Value{false});
  CHECK(value_of("[1, 2] == [1]") == Value{false});
  CHECK(value_of("[1] == []") == Value{false});
  CHECK(value_of("[pin_memory, compile] == [true, true]", facts) == Value{false});
  CHECK(value_of("[pin_memory, compile] == [false, true]", facts) == kUnknown);
}

TEST_CASE("an escape puts quotes and backslashes into text") {
  CHECK(value_of(R"('it\'s')") == Value{"it's"});
  CHECK(value_of(R"("a\\b")") == Value{"a\\b"});
}

TEST_CASE("operators bind as in Python, a fallback stronger than a comparison") {
  CHECK(value_of("2 + 3 * 4") == whole(14));
  CHECK(value_of("(2 + 3) * 4") == whole(20));
  CHECK(value_of("10 - 3 - 2") == whole(5));
  CHECK(value_of("-2 * -3") == whole(6));
  CHECK(value_of("2 - -3") == whole(5));
  CHECK(value_of("not true or true") == Value{true});
  CHECK(value_of("not 1 == 2") == Value{true});
  CHECK(value_of("true or true and false") == Value{true});
  CHECK(value_of("1 < 2 and 2 < 3") == Value{true});
  CHECK(value_of("num_workers ?? 0 > 4") == Value{false});
  CHECK(value_of("num_workers ?? 2 + 3") == whole(5));
  CHECK(value_of("1 if false else 2 if false else 3") == whole(3));
  CHECK(value_of("(1 if true else 2) + 1") == whole(2));
}

TEST_CASE("and is decided by a false side, or by a true side, unknown otherwise") {
  const Facts facts{{{"pin_memory", true}}};
  CHECK(value_of("compile and false", facts) == Value{false});
  CHECK(value_of("false and compile", facts) == Value{false});
  CHECK(value_of("compile and true", facts) == kUnknown);
  CHECK(value_of("true and compile", facts) == kUnknown);
  CHECK(value_of("compile and compile", facts) == kUnknown);
  CHECK(value_of("true and pin_memory", facts) == Value{true});
  CHECK(value_of("true and false", facts) == Value{false});
  CHECK(value_of("compile or true", facts) == Value{true});
  CHECK(value_of("true or compile", facts) == Value{true});
  CHECK(value_of("compile or false", facts) == kUnknown);
  CHECK(value_of("false or compile", facts) == kUnknown);
  CHECK(value_of("false or pin_memory", facts) == Value{true});
  CHECK(value_of("false or false", facts) == Value{false});
  CHECK(value_of("not compile", facts) == kUnknown);
}

TEST_CASE("what holds is what is true, with fewer questions asked") {
  const Facts facts{{{"pin_memory", true}, {"num_workers", whole(4)}}};
  for (const char* source :
       {"pin_memory", "compile", "pin_memory and compile", "compile and pin_memory",
        "compile and pin_memory and num_workers == 4", "not (compile and false)",
        "(compile and false) or pin_memory", "pin_memory and (compile and false or pin_memory)",
        "pin_memory if compile and false else compile", "(compile ?? true) and pin_memory",
        "not (compile and pin_memory)", "((compile and false) ?? true) and pin_memory",
        "pin_memory and num_workers == 4 and fit.batch(1) == 2"}) {
    CAPTURE(source);
    REQUIRE(error_of(source) == "");
    CHECK(holds(source, facts) == value_of(source, facts).is_true());
  }
  facts.calls = 0;
  CHECK_FALSE(holds("pin_memory and compile and fit.batch(num_workers) == 8", facts));
  CHECK(facts.calls == 0);
}

TEST_CASE("every other operation over an unknown fact is unknown") {
  for (const char* source : {"num_workers + 1",
                             "1 - num_workers",
                             "num_workers * 0",
                             "num_workers / 2",
                             "num_workers // 2",
                             "num_workers % 2",
                             "-num_workers",
                             "num_workers == num_workers",
                             "num_workers != 1",
                             "num_workers < 1",
                             "num_workers in [1, 2]",
                             "model in ['a']",
                             "1 in sizes",
                             "sizes[0]",
                             "[1][num_workers]",
                             "min(1, num_workers)",
                             "max(sizes)",
                             "ceil(learning_rate)",
                             "floor(learning_rate)",
                             "round(learning_rate)",
                             "abs(num_workers)",
                             "round_up(num_workers, 8)",
                             "len(model)",
                             "sum(sizes)",
                             "contains(model, 'x')",
                             "starts_with('x', model)",
                             "fit.batch(num_workers)",
                             "1 if compile else 1"}) {
    CAPTURE(source);
    CHECK(value_of(source) == kUnknown);
  }
}

TEST_CASE("a function is not called over unknown arguments") {
  const Facts facts{{{"num_workers", whole(4)}}};
  CHECK(value_of("fit.batch(per_device_batch_size)", facts) == kUnknown);
  CHECK(facts.calls == 0);
  CHECK(value_of("fit.batch(num_workers)", facts) == Value{8.0});
  CHECK(facts.calls == 1);
}

TEST_CASE("a function without parameters is called with or without brackets") {
  CHECK(value_of("speedup.amp") == Value{1.9});
  CHECK(value_of("speedup.amp()") == Value{1.9});
}

TEST_CASE("a function in a branch not taken is not called") {
  const Facts facts{{{"pin_memory", true}}};
  CHECK(value_of("1.0 if pin_memory else speedup.amp", facts) == Value{1.0});
  CHECK(value_of("pin_memory or speedup.amp > 1", facts) == Value{true});
  CHECK(value_of("2.0 ?? speedup.amp", facts) == Value{2.0});
  CHECK(facts.calls == 0);
  CHECK(value_of("speedup.amp if pin_memory else 1.0", facts) == Value{1.9});
  CHECK(facts.calls == 1);
}

TEST_CASE("a fallback replaces only what is unknown") {
  const Facts facts{{{"num_workers", whole(0)}}};
  CHECK(value_of("num_workers ?? 4", facts) == whole(0));
  CHECK(value_of("per_device_batch_size ?? num_workers ?? 4", facts) == whole(0));
  CHECK(value_of("per_device_batch_size ?? 4", facts) == whole(4));
  CHECK(value_of("per_device_batch_size ?? learning_rate", facts) == kUnknown);
  CHECK(value_of("vram.high ?? 0", facts) == whole(0));
}

TEST_CASE("if evaluates only the taken value") {
  const Facts facts{{{"pin_memory", true}, {"num_workers", whole(2)}}};
  CHECK(value_of("num_workers if pin_memory else per_device_batch_size", facts) == whole(2));
  CHECK(value_of("per_device_batch_size if not pin_memory else num_workers", facts) == whole(2));
  CHECK(value_of("per_device_batch_size if pin_memory else 1", facts) == kUnknown);
  CHECK(value_of("(1 if pin_memory else 2) if (true if pin_memory else false) else 3", facts) ==
        whole(1));
  CHECK(value_of("(1 if compile else 2) ?? 7", facts) == whole(7));
}

TEST_CASE("known asks for a value, stated for the user's own word") {
  const Facts facts{{{"num_workers", whole(2)}, {"pin_memory", false}}, {"pin_memory"}};
  CHECK(value_of("known(num_workers)", facts) == Value{true});
  CHECK(value_of("known(compile)", facts) == Value{false});
  CHECK(value_of("known(num_workers / 0)", facts) == Value{false});
  CHECK(value_of("stated(num_workers)", facts) == Value{true});
  CHECK(value_of("stated(pin_memory)", facts) == Value{false});
  CHECK(value_of("stated(compile)", facts) == Value{false});
}

TEST_CASE("in searches lists") {
  const Facts facts{{{"mixed_precision", "bf16"},
                     {"adapter_targets", List{"q_proj", "v_proj"}},
                     {"sizes", List{whole(1), Value{}}}}};
  CHECK(value_of("mixed_precision in ['fp16', 'bf16']", facts) == Value{true});
  CHECK(value_of("mixed_precision not in ['fp16', 'bf16']", facts) == Value{false});
  CHECK(value_of("'v_proj' in adapter_targets", facts) == Value{true});
  CHECK(value_of("'k_proj' in adapter_targets", facts) == Value{false});
  CHECK(value_of("'k_proj' in []", facts) == Value{false});
  CHECK(value_of("3 in [1, 2, 1 + 2]", facts) == Value{true});
  CHECK(value_of("1 in sizes", facts) == Value{true});
  CHECK(value_of("2 in sizes", facts) == kUnknown);
}

TEST_CASE("an index outside the list is unknown") {
  const Facts facts{{{"sizes", List{whole(5), whole(7)}}}};
  CHECK(value_of("sizes[1]", facts) == whole(7));
  CHECK(value_of("sizes[2]", facts) == kUnknown);
  CHECK(value_of("sizes[-1]", facts) == kUnknown);
  CHECK(value_of("sizes[0.5]", facts) == kUnknown);
  CHECK(value_of("[4, 5, 6][1 + 1]", facts) == whole(6));
}

TEST_CASE("builtins compute") {
  const Facts facts{
      {{"model", "llama-3.1-8b"}, {"sizes", List{whole(5), 2.5}}, {"buffers", List{}}}};
  CHECK(value_of("min(3, 1, 2)") == whole(1));
  CHECK(value_of("max(3, 4.5)") == Value{4.5});
  CHECK(value_of("min(sizes)", facts) == Value{2.5});
  CHECK(value_of("max(buffers)", facts) == kUnknown);
  CHECK(value_of("sum(sizes)", facts) == Value{7.5});
  CHECK(value_of("sum(buffers)", facts) == whole(0));
  CHECK(value_of("sum([1, 2, 3])") == whole(6));
  CHECK(value_of("len(sizes)", facts) == whole(2));
  CHECK(value_of("len('abc')") == whole(3));
  CHECK(value_of("ceil(2.1)") == whole(3));
  CHECK(value_of("floor(-2.1)") == whole(-3));
  CHECK(value_of("round(2.5)") == whole(3));
  CHECK(value_of("round(7)") == whole(7));
  CHECK(value_of("abs(-2.5)") == Value{2.5});
  CHECK(value_of("contains(model, '3.1')", facts) == Value{true});
  CHECK(value_of("contains(model, 'qwen')", facts) == Value{false});
  CHECK(value_of("starts_with(model, 'llama')", facts) == Value{true});
  CHECK(value_of("starts_with(model, '8b')", facts) == Value{false});
}

TEST_CASE("round_up gives the smallest multiple that is large enough") {
  CHECK(value_of("round_up(33, 8)") == whole(40));
  CHECK(value_of("round_up(32, 8)") == whole(32));
  CHECK(value_of("round_up(-33, 8)") == whole(-32));
  CHECK(value_of("round_up(3 MiB, 2 MiB)") == whole(4194304));
  CHECK(value_of("round_up(1.2, 0.5)") == Value{1.5});
  CHECK(value_of("round_up(1, 0)") == kUnknown);
  CHECK(value_of("round_up(1, -8)") == kUnknown);
  CHECK(value_of("round_up(9223372036854775807, 1000)") == whole(kMax));
}

TEST_CASE("a trace names what was read and what had no value, each once") {
  Trace trace;
  const Facts facts{{{"pin_memory", true}}};
  value_of("pin_memory and (compile or compile) and known(num_workers)", facts, &trace);
  CHECK(trace.read == std::vector<std::uint32_t>{8, 9, 1});
  CHECK(trace.unknown == std::vector<std::uint32_t>{9, 1});
  Trace functions;
  value_of("peak('fp16') > 1 TFLOP/s", facts, &functions);
  CHECK(functions.unknown_functions == std::vector<std::uint32_t>{2});
}

TEST_CASE("an expression deeper than the inline stack evaluates") {
  CHECK(value_of("max(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)") == whole(12));
  CHECK(value_of("1 + (2 + (3 + (4 + (5 + (6 + (7 + (8 + (9 + 10))))))))") == whole(55));
}

TEST_CASE("an expression that was not bound is unknown") {
  const Expression expression = *Expression::parse("1 + 1");
  CHECK(expression.evaluate(Facts{}) == kUnknown);
  CHECK(Expression{}.evaluate(Facts{}) == kUnknown);
}

}  // namespace
}  // namespace gpulint::expr
