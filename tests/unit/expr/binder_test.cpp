#include "unit/expr/fixture.h"

#include <doctest/doctest.h>

namespace gpulint::expr {
namespace {

using fixture::error_of;
using fixture::table;

std::string type_name(std::string_view source) {
  Expression expression = *Expression::parse(source);
  Result<Type> type = expression.bind(table());
  return type ? to_string(*type) : "error: " + type.error().message;
}

TEST_CASE("the type of an expression carries its unit") {
  CHECK(type_name("1 + 2") == "a plain number");
  CHECK(type_name("gpu.memory - vram.high") == "a quantity in bytes");
  CHECK(type_name("gpu.memory / vram.high") == "a plain number");
  CHECK(type_name("gpu.memory / step_time") == "a quantity in bytes/s");
  CHECK(type_name("gpu.bandwidth * step_time") == "a quantity in bytes");
  CHECK(type_name("1 / step_time") == "a quantity in 1/s");
  CHECK(type_name("gpu.memory * gpu.memory") == "a quantity in bytes^2");
  CHECK(type_name("cost / gpu.memory / step_time") == "a quantity in USD/bytes*s");
  CHECK(type_name("gpu.memory > 4 GiB") == "true or false");
  CHECK(type_name("model") == "text");
  CHECK(type_name("adapter_targets") == "a list of text");
  CHECK(type_name("buffers[0]") == "a quantity in bytes");
  CHECK(type_name("min(buffers)") == "a quantity in bytes");
  CHECK(type_name("ceil(gpu.memory)") == "a quantity in bytes");
  CHECK(type_name("[1 GiB, 0]") == "a list of quantities in bytes");
}

TEST_CASE("text made of literals only has them as its choices") {
  CHECK(type_name("'bf16' if pin_memory else 'fp16'") == "one of bf16, fp16");
  CHECK(type_name("mixed_precision") == "one of none, fp16, bf16");
  CHECK(type_name("mixed_precision ?? 'none'") == "one of none, fp16, bf16");
  CHECK(type_name("model ?? 'resnet50'") == "text");
  CHECK(type_name("mixed_precision if pin_memory else model") == "text");
}

TEST_CASE("the literal 0 fits every unit") {
  CHECK(error_of("gpu.memory > 0") == "");
  CHECK(error_of("0 < gpu.memory") == "");
  CHECK(error_of("gpu.memory + 0 > 1 GiB") == "");
  CHECK(error_of("max(0, gpu.memory - vram.high) > 1 GiB") == "");
  CHECK(error_of("(gpu.memory if pin_memory else 0) > 1 GiB") == "");
  CHECK(error_of("gpu.memory > 0 + 0") == "");
  CHECK(error_of("gpu.memory > 0 * 1") != "");
  CHECK(error_of("gpu.memory > 0.0") != "");
}

TEST_CASE("units that differ are neither added nor compared") {
  CHECK(error_of("gpu.memory > 4") ==
        "cannot compare a quantity in bytes and a plain number; give the number a unit, as in 4 "
        "GiB @0-14");
  CHECK(error_of("gpu.memory + num_workers") ==
        "cannot add a quantity in bytes and a plain number; give the number a unit, as in 4 GiB "
        "@0-24");
  CHECK(error_of("step_time - gpu.memory") ==
        "cannot subtract a quantity in s and a quantity in bytes @0-22");
  CHECK(error_of("step_time % 3") ==
        "cannot take the remainder of a quantity in s and a plain number; give the number a unit "
        "@0-13");
  CHECK(error_of("min(step_time, 3)") ==
        "cannot compare a quantity in s and a plain number; give the number a unit @4-16");
  CHECK(error_of("4 in buffers") ==
        "cannot compare a plain number and a list of quantities in bytes; give the number a unit, "
        "as in 4 GiB @0-12");
  CHECK(error_of("[1 GiB, 2]") ==
        "elements of a list must have one type, found a quantity in bytes and a plain number "
        "@1-9");
  CHECK(error_of("gpu.memory if pin_memory else 3") ==
        "both values of \"if\" must have one type, found a quantity in bytes and a plain number "
        "@0-31");
  CHECK(error_of("gpu.memory ?? 3") ==
        "both sides of \"??\" must have one type, found a quantity in bytes and a plain number "
        "@0-15");
}

TEST_CASE("a fallback meant for a comparison is told to take brackets") {
  CHECK(error_of("num_workers < 4 ?? true") ==
        "both sides of \"??\" must have one type, found a plain number and true or false; a "
        "comparison with a fallback is written (a < b) ?? true @14-23");
  CHECK(error_of("(num_workers < 4) ?? true") == "");
}

TEST_CASE("operators name the type they need") {
  CHECK(error_of("model + 1") == "\"+\" needs a number, found text @0-5");
  CHECK(error_of("1 - 'a'") == "\"-\" needs a number, found text @4-7");
  CHECK(error_of("2 * pin_memory") == "\"*\" needs a number, found true or false @4-14");
  CHECK(error_of("sizes / 2") == "\"/\" needs a number, found a list of plain numbers @0-5");
  CHECK(error_of("2 // model") == "\"//\" needs a number, found text @5-10");
  CHECK(error_of("model % 2") == "\"%\" needs a number, found text @0-5");
  CHECK(error_of("-model") == "\"-\" needs a number, found text @0-6");
  CHECK(error_of("model < 'b'") == "\"<\" needs a number, found text @0-5");
  CHECK(error_of("1 and pin_memory") == "\"and\" needs true or false, found a plain number @0-1");
  CHECK(error_of("pin_memory or 1") == "\"or\" needs true or false, found a plain number @14-15");
  CHECK(error_of("not num_workers") == "\"not\" needs true or false, found a plain number @4-15");
  CHECK(error_of("1 if 2 else 3") == "\"if\" needs true or false, found a plain number @5-6");
  CHECK(error_of("pin_memory == 1") == "cannot compare true or false with a plain number @0-15");
  CHECK(error_of("model[0]") == "only a list has elements, found text @0-5");
  CHECK(error_of("[][0]") == "an empty list has no elements @0-2");
  CHECK(error_of("sizes[1 s]") == "an index is a plain number, found a quantity in s @6-9");
  CHECK(error_of("'a' in model") ==
        "\"in\" needs a list on its right side, found text; contains(text, part) searches text "
        "@7-12");
  CHECK(error_of("1 in adapter_targets") ==
        "cannot search a list of text for a plain number @0-20");
  CHECK(error_of("[1, 'a']") ==
        "elements of a list must have one type, found a plain number and text @1-7");
  CHECK(error_of("[[1], [2]]") == "lists do not nest @0-10");
  CHECK(error_of("[sizes]") == "lists do not nest @1-6");
}

TEST_CASE("builtins name the type they need") {
  CHECK(error_of("abs(model)") == "abs() needs a number, found text @4-9");
  CHECK(error_of("ceil(pin_memory)") == "ceil() needs a number, found true or false @5-15");
  CHECK(error_of("round_up(gpu.memory, 2)") ==
        "cannot round up a quantity in bytes and a plain number; give the number a unit, as in 4 "
        "GiB @9-22");
  CHECK(error_of("len(3)") == "len() needs a list or text, found a plain number @4-5");
  CHECK(error_of("sum(3)") == "a list of numbers is needed here, found a plain number @4-5");
  CHECK(error_of("max(adapter_targets)") ==
        "a list of numbers is needed here, found a list of text @4-19");
  CHECK(error_of("max(1, 'a')") == "max() needs a number, found text @7-10");
  CHECK(error_of("contains(adapter_targets, 'q')") ==
        "contains() needs text, found a list of text; \"in\" searches a list @9-24");
  CHECK(error_of("starts_with(model, 3)") ==
        "starts_with() needs text, found a plain number @19-20");
}

TEST_CASE("an enumerated fact is compared only with its values") {
  CHECK(error_of("mixed_precision == 'bf16'") == "");
  CHECK(error_of("mixed_precision == 'bf61'") ==
        "\"bf61\" is not a value of mixed_precision, which is one of none, fp16, bf16 (did you mean "
        "\"bf16\"?) @19-25");
  CHECK(error_of("'fp8' != mixed_precision") ==
        "\"fp8\" is not a value of mixed_precision, which is one of none, fp16, bf16 @0-5");
  CHECK(error_of("mixed_precision in ['fp16', 'fp23']") ==
        "\"fp23\" is not a value of mixed_precision, which is one of none, fp16, bf16 @19-35");
  CHECK(error_of("mixed_precision ?? 'off' == 'none'") ==
        "\"off\" is not a value of mixed_precision, which is one of none, fp16, bf16 @19-24");
  CHECK(error_of("mixed_precision == weights_dtype") == "");
  CHECK(error_of("mixed_precision == optimizer") == "these two have no value in common @0-28");
  CHECK(error_of("mixed_precision == model") == "");
}

TEST_CASE("an unknown name comes with the nearest known one") {
  CHECK(error_of("per_device_batchsize > 1") ==
        "unknown name \"per_device_batchsize\" (did you mean \"per_device_batch_size\"?) @0-20");
  CHECK(error_of("1 + ciel(2)") == "unknown name \"ciel\" (did you mean \"ceil\"?) @4-8");
  CHECK(error_of("fit.batsh(2)") ==
        "unknown name \"fit.batsh\" (did you mean \"fit.batch\"?) @0-9");
  CHECK(error_of("stated(num_worker)") ==
        "unknown name \"num_worker\" (did you mean \"num_workers\"?) @7-17");
  CHECK(error_of("zzz") == "unknown name \"zzz\" @0-3");
}

TEST_CASE("text without quotes is recognised by the facts it is a value of") {
  CHECK(error_of("mixed_precision == bf16") ==
        "unknown name \"bf16\"; text is written in quotes: 'bf16' @19-23");
}

TEST_CASE("named functions check count and types of their arguments") {
  CHECK(error_of("fit.batch()") == "fit.batch() takes 1 argument, found 0 @0-9");
  CHECK(error_of("fit.batch") == "fit.batch() takes 1 argument, found 0 @0-9");
  CHECK(error_of("speedup.amp(1)") == "speedup.amp() takes 0 arguments, found 1 @0-11");
  CHECK(error_of("fit.batch(model)") == "fit.batch() needs a plain number here, found text @10-15");
  CHECK(error_of("fit.batch(1 GiB)") ==
        "fit.batch() needs a plain number here, found a quantity in bytes @10-15");
  CHECK(error_of("peak('fp64') > 0") ==
        "\"fp64\" is not a value of peak(), which is one of fp16, bf16 @5-11");
  CHECK(error_of("num_workers(1)") ==
        "\"num_workers\" is a value, not a function; write it without () @0-11");
}

TEST_CASE("a unit whose exponent no byte holds is refused") {
  std::string source = "gpu.memory";
  for (int i = 0; i < 200; ++i) source += " * gpu.memory";
  CHECK(error_of(source).starts_with("the exponent of this unit is out of range"));
}

TEST_CASE("an expression can be bound again to another table") {
  Expression expression = *Expression::parse("speedup.amp > num_workers");
  REQUIRE(expression.bind(table()).has_value());
  SymbolTable other;
  other.add(Symbol{"num_workers", fixture::number(), ""});
  other.add(Symbol{"speedup.amp", fixture::number(), ""});
  REQUIRE(expression.bind(other).has_value());
  REQUIRE(expression.bind(table()).has_value());
  CHECK(expression.evaluate(fixture::Facts{{{"num_workers", Value{1.0}}}}) == Value{true});
}

TEST_CASE("a symbol table finds its entries by name and keeps insertion order") {
  SymbolTable symbols;
  CHECK(symbols.add(Symbol{"zeta", fixture::number(), ""}) == 0);
  CHECK(symbols.add(Symbol{"alpha", fixture::number(), ""}) == 1);
  CHECK(symbols.find_symbol("zeta") == 0U);
  CHECK(symbols.find_symbol("alpha") == 1U);
  CHECK(symbols.find_symbol("alph") == std::nullopt);
  CHECK(symbols.find_function("zeta") == std::nullopt);
}

}  // namespace
}  // namespace gpulint::expr
