#include "expr/expression.h"
#include "unit/expr/fixture.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;
using namespace gpulint::expr;
using namespace gpulint::expr::fixture;

namespace {

std::string stored(const Expression& expression) {
  ByteWriter out;
  expression.store(out);
  return std::move(out).take();
}

Expression restored_from(const std::string& bytes) {
  ByteReader in(bytes);
  Expression restored = Expression::restore(in);
  CHECK(in.at_end());
  return restored;
}

}  // namespace

TEST_CASE("a stored expression has the value of the one it was") {
  const Facts facts({{"num_workers", whole(4)},
                     {"learning_rate", Value(0.25)},
                     {"mixed_precision", Value("fp16")},
                     {"gpu.memory", whole(80'000'000'000)}});
  for (const std::string source :
       {"num_workers > -3 and learning_rate == 0.25", "mixed_precision in [\"fp16\", \"bf16\"]",
        "gpu.memory - 1 GB if num_workers == 4 else 0 GB", "fit.batch(num_workers) + 1e300",
        "known(pin_memory) or stated(num_workers)", "prefetch ?? 1"}) {
    CAPTURE(source);
    Result<Expression> parsed = Expression::parse(source);
    REQUIRE(parsed);
    const bool bound = parsed->bind(table()).has_value();
    CHECK(bound == (source != "prefetch ?? 1"));
    const std::string bytes = stored(*parsed);
    const Expression restored = restored_from(bytes);
    CHECK(restored.text() == source);
    CHECK(restored.names() == parsed->names());
    CHECK(restored.evaluate(facts) == parsed->evaluate(facts));
    CHECK(restored.evaluate(facts).known() == bound);
  }
}

TEST_CASE("no expression is stored as none") {
  const std::string bytes = stored(Expression());
  CHECK(restored_from(bytes).empty());
}

TEST_CASE("bytes that end too early give an expression without a value") {
  Expression expression = *Expression::parse("num_workers + 1");
  REQUIRE(expression.bind(table()));
  const std::string bytes = stored(expression);
  const std::string_view text_only = std::string_view(bytes).substr(0, 16);
  ByteReader in(text_only);
  CHECK_FALSE(Expression::restore(in).evaluate(Facts()).known());
}
