#include "unit/catalog/texts.h"

#include <doctest/doctest.h>

using namespace gpulint;

namespace {

constexpr const char* kPath = "dialects/hf-trainer.yaml";

const std::string kDialect = R"(summary: arguments of a trainer
rank: 20
scalars: yaml-1.1
sections: ["", training]
recognise:
  - all: [per_device_train_batch_size]
    none: [zero_optimization]
  - some: {at_least: 2, of: [a, b, c]}
keys:
  per_device_train_batch_size: per_device_batch_size
  fp16.enabled: {fact: fp16_enabled, priority: 1, transform: boolean}
  optim:
    - fact: optimizer
      values: {adamw_torch: adamw, none: none, "*": null}
    - {fact: fused_optimizer, values: {adamw_torch_fused: "true"}}
defaults:
  per_device_batch_size: {value: 8, source: arguments.py}
  mixed_precision:
    - {value: none, source: arguments.py, overridable: true, when_key: trainer}
sources: [arguments.py]
)";

std::string error_of(const std::string& text) {
  const Document dialect = document(kPath, text);
  const Result<Dialect> parsed = parse_dialect(dialect);
  return parsed ? "no error" : parsed.error().to_string();
}

}  // namespace

TEST_CASE("a dialect file gives its keys in the order written") {
  const Document file = document(kPath, kDialect);
  const Result<Dialect> dialect = parse_dialect(file);
  REQUIRE(dialect);
  CHECK(dialect->id == "hf-trainer");
  CHECK(dialect->scalars == ScalarSchema::yaml11);
  CHECK(dialect->sections == std::vector<std::string>{"", "training"});
  REQUIRE(dialect->mapping->keys.all().size() == 4);
  CHECK(dialect->mapping->keys.all()[0].path == "per_device_train_batch_size");
  CHECK(dialect->mapping->keys.all()[0].fact == "per_device_batch_size");
  CHECK(dialect->mapping->keys.all()[1].transform == "boolean");
  CHECK(dialect->mapping->keys.all()[1].priority == 1);
  CHECK(dialect->mapping->keys.all()[2].path == "optim");
  CHECK(dialect->mapping->keys.all()[2].fact == "optimizer");
  CHECK(dialect->mapping->keys.all()[3].path == "optim");
  CHECK(dialect->mapping->keys.all()[3].fact == "fused_optimizer");
}

TEST_CASE("a dialect opened without its keys reads the same ones when asked") {
  const Document file = document(kPath, kDialect);
  const Result<Dialect> opened = open_dialect(file);
  REQUIRE(opened);
  CHECK(opened->rank == 20);
  CHECK(opened->mapping->keys.all().size() == 4);
  CHECK(opened->mapping->defaults.size() == 2);
  CHECK(&opened->mapping->keys.all() == &opened->mapping->keys.all());
}

TEST_CASE("null as a canonical value means unknown, the word none is a value") {
  const Document file = document(kPath, kDialect);
  const Result<Dialect> dialect = parse_dialect(file);
  REQUIRE(dialect);
  const std::vector<ValueMapping>& values = dialect->mapping->keys.all()[2].values;
  REQUIRE(values.size() == 3);
  CHECK(values[0].canonical == "adamw");
  CHECK(values[1].canonical == "none");
  CHECK(values[2].native == "*");
  CHECK_FALSE(values[2].canonical.has_value());
}

TEST_CASE("recognition rules and defaults are read") {
  const Document file = document(kPath, kDialect);
  const Result<Dialect> dialect = parse_dialect(file);
  REQUIRE(dialect);
  REQUIRE(dialect->recognise.size() == 2);
  CHECK(dialect->recognise[0].all == std::vector<std::string>{"per_device_train_batch_size"});
  CHECK(dialect->recognise[1].at_least == 2);
  REQUIRE(dialect->mapping->defaults.size() == 2);
  CHECK(dialect->mapping->defaults[0].value == "8");
  CHECK_FALSE(dialect->mapping->defaults[0].overridable);
  CHECK(dialect->mapping->defaults[1].overridable);
  CHECK(dialect->mapping->defaults[1].when_key == "trainer");
}

TEST_CASE("a loader nobody knows leaves the scalar schema unset") {
  const Document file = document(kPath, with(kDialect, "yaml-1.1", "unknown"));
  const Result<Dialect> dialect = parse_dialect(file);
  REQUIRE(dialect);
  CHECK_FALSE(dialect->scalars.has_value());
}

TEST_CASE("mistakes in a dialect are named with their place") {
  CHECK(
      error_of(with(kDialect, "yaml-1.1", "yaml-1.3"))
          .find(
              "dialects/hf-trainer.yaml:3:10: scalars: \"yaml-1.3\" is none of yaml-1.1, yaml-1.2, "
              "omegaconf, json, env, unknown") == 0);
  CHECK(error_of(with(kDialect, "- all: [per_device_train_batch_size]\n    none", "- none")) ==
        "dialects/hf-trainer.yaml:6:5: item 1 of recognise: recognises every file; give \"all\", "
        "\"any\", \"some\", \"paths\" or \"measured\"");
  CHECK(error_of(with(kDialect, "fact: fp16_enabled", "facts: fp16_enabled")) ==
        "dialects/hf-trainer.yaml:11:17: fp16.enabled: \"fact\" is missing\n"
        "dialects/hf-trainer.yaml:11:18: unknown key \"facts\" (did you mean \"fact\"?)");
  CHECK(error_of(with(kDialect, "value: 8, source: arguments.py", "value: 8")) ==
        "dialects/hf-trainer.yaml:17:26: per_device_batch_size: \"source\" is missing");
  CHECK(error_of(with(kDialect, ", when_key: trainer", "")) ==
        "dialects/hf-trainer.yaml:19:7: item 1 of mixed_precision: one of several defaults needs "
        "\"when_key\" or \"when_fact\"");
}
