// Runs every example of docs/expressions.md: the page is the reference, so it may not drift.

#include "base/text.h"
#include "unit/expr/fixture.h"

#include <doctest/doctest.h>

#include <fstream>

namespace gpulint::expr {
namespace {

using fixture::boolean;
using fixture::list_of;
using fixture::number;
using fixture::text;

struct DocumentedFact {
  Symbol symbol;
  Value value;
  bool stated = true;
};

const std::vector<DocumentedFact>& documented_facts() {
  static const std::vector<DocumentedFact> kFacts = {
      {{"per_device_batch_size", number(), ""}, std::int64_t{64}},
      {{"learning_rate", number(), ""}, 0.1},
      {{"mixed_precision", text({"none", "fp16", "bf16", "fp8", "enabled"}), ""}, "none"},
      {{"optimizer", text(), ""}, "adamw"},
      {{"model", text(), ""}, "resnet50"},
      {{"adapter_targets", list_of(Kind::string), ""}, List{"q_proj", "v_proj"}},
      {{"pin_memory", boolean(), ""}, true, false},
      {{"num_workers", number(), ""}, {}, false},
      {{"prefetch_factor", number(), ""}, {}, false},
      {{"compile", boolean(), ""}, {}, false},
      {{"max_steps", number(), ""}, Value::unreadable(), false},
      {{"gpu.memory", number(kBytes), ""}, std::int64_t{24} << 30, false},
      {{"gpu.memory_bandwidth", number(kBytesPerSecond), ""}, 936e9, false},
      {{"vram.high", number(kBytes), ""}, std::int64_t{20} << 30, false},
  };
  return kFacts;
}

class DocumentedRun : public Environment {
 public:
  Value symbol(std::uint32_t index) const override { return documented_facts()[index].value; }
  bool stated(std::uint32_t index) const override { return documented_facts()[index].stated; }
  Value call(std::uint32_t, std::span<const Value>) const override { return {}; }
};

std::string result_of_expression(std::string_view source, const SymbolTable& table) {
  Result<Expression> expression = Expression::parse(source);
  if (!expression) return "error: " + expression.error().message;
  const Result<Type> type = expression->bind(table);
  if (!type) return "error: " + type.error().message;
  return format(expression->evaluate(DocumentedRun{}), type->unit, "");
}

std::string result_of_template(std::string_view source, const SymbolTable& table) {
  Result<Template> made = Template::parse(source);
  if (!made) return "error: " + made.error().message;
  const Result<void> bound = made->bind(table);
  return bound ? made->render(DocumentedRun{}) : "error: " + bound.error().message;
}

TEST_CASE("every example of docs/expressions.md is true") {
  SymbolTable table;
  for (const DocumentedFact& fact : documented_facts()) table.add(fact.symbol);
  std::ifstream file(std::string(GPULINT_SOURCE_DIR) + "/docs/expressions.md");
  REQUIRE(file.good());
  std::string fence;
  int examples = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      fence = fence.empty() ? line.substr(3) : "";
      continue;
    }
    const std::size_t arrow = line.find(" -> ");
    if (fence.empty() || arrow == std::string::npos) continue;
    const std::string_view source = trim(std::string_view{line}.substr(0, arrow));
    const std::string_view expected = trim(std::string_view{line}.substr(arrow + 4));
    CAPTURE(source);
    CHECK((fence == "template" ? result_of_template(source, table)
                               : result_of_expression(source, table)) == expected);
    ++examples;
  }
  CHECK(examples > 60);
}

}  // namespace
}  // namespace gpulint::expr
