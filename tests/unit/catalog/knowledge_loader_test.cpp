#include "unit/catalog/texts.h"

#include <doctest/doctest.h>

using namespace gpulint;

namespace {

const std::string kSgd = R"(summary: stochastic gradient descent
state: {values: 0 values, with_momentum: 1 value, momentum_unknown: {low: 0 values, usual: 1 value, high: 1 value}}
step:
  values: 0 values
  with_weight_decay: {low: 0 values, usual: 1 value, high: 1 value}
update: {fused: 20 B, foreach: 40 B, kernels: 4 kernels}
learning_rate_rule: linear
sources: [torch.optim]
)";

std::string optimizer_error(const std::string& text) {
  const Document file = document("knowledge/optimizers/sgd.yaml", text);
  const Result<OptimizerTraits> parsed = OptimizerTraits::parse(file);
  return parsed ? "no error" : parsed.error().to_string();
}

std::string adapter_error(const std::string& text) {
  const Document file = document("knowledge/adapters/lora.yaml", text);
  const Result<AdapterTraits> parsed = AdapterTraits::parse(file);
  return parsed ? "no error" : parsed.error().to_string();
}

template <class... Files>
std::vector<DataFile> list_of(Files... files) {
  std::vector<DataFile> list;
  (list.push_back(std::move(files)), ...);
  return list;
}

Catalog catalog_with(std::vector<DataFile> files) {
  Result<Catalog> catalog = Catalog::open(std::move(files));
  if (!catalog) throw catalog.error();
  return std::move(catalog).value();
}

}  // namespace

TEST_CASE("an optimizer's file gives what it keeps, borrows and moves") {
  const Document file = document("knowledge/optimizers/sgd.yaml", kSgd);
  const Result<OptimizerTraits> sgd = OptimizerTraits::parse(file);
  REQUIRE(sgd);
  CHECK(sgd->id == "sgd");
  REQUIRE(sgd->state_values);
  CHECK(sgd->state_values->without == AmountRange{0, 0, 0});
  CHECK(sgd->state_values->with == AmountRange{1, 1, 1});
  CHECK(sgd->state_values->unknown == AmountRange{0, 1, 1});
  CHECK(sgd->step_values.with == AmountRange{0, 1, 1});
  CHECK_FALSE(sgd->step_values.unknown);
  REQUIRE(sgd->update);
  CHECK(sgd->update->fused_bytes == 20);
  CHECK(sgd->update->kernels == 4);
  CHECK_FALSE(sgd->update->waits);
  CHECK(sgd->learning_rate_rule == LearningRateRule::linear);
}

TEST_CASE("an amount may be a fraction as its source has it") {
  const Document file =
      document("knowledge/optimizers/adafactor.yaml",
               with(kSgd,
                    "{values: 0 values, with_momentum: 1 value, momentum_unknown: {low: 0 "
                    "values, usual: 1 value, high: 1 value}}",
                    "{values: 0 values, bytes: {low: 0 B, usual: 8/768 B, high: 8/64 B}}"));
  const Result<OptimizerTraits> adafactor = OptimizerTraits::parse(file);
  REQUIRE(adafactor);
  CHECK(adafactor->state_bytes == AmountRange{0, 8.0 / 768, 0.125});
}

TEST_CASE("an optimizer nobody described has no state rather than none") {
  const Document file =
      document("knowledge/optimizers/new.yaml", "summary: a new one\nsources: [its paper]\n");
  const Result<OptimizerTraits> optimizer = OptimizerTraits::parse(file);
  REQUIRE(optimizer);
  CHECK_FALSE(optimizer->state_values.has_value());
  CHECK_FALSE(optimizer->update.has_value());
  CHECK_FALSE(optimizer->learning_rate_rule.has_value());
}

TEST_CASE("an amount without its unit, a wrong order and an unknown key are refused") {
  CHECK(optimizer_error(with(kSgd, "20 B", "20")) ==
        "knowledge/optimizers/sgd.yaml:6:17: fused: expected a number of B from 0, as in \"2 B\", "
        "found \"20\"");
  CHECK(optimizer_error(with(kSgd, "{low: 0 values, usual: 1 value, high: 1 value}",
                             "{low: 2 values, usual: 1 value, high: 1 value}"))
            .find("are not in this order") != std::string::npos);
  CHECK(optimizer_error(with(kSgd, "with_momentum", "with_momentun")) ==
        "knowledge/optimizers/sgd.yaml:2:27: unknown key \"with_momentun\" (did you mean "
        "\"with_momentum\"?)");
  CHECK(optimizer_error(with(kSgd, "sources: [torch.optim]\n", "")) ==
        "knowledge/optimizers/sgd.yaml:1:1: file: \"sources\" is missing");
  CHECK(optimizer_error(with(kSgd, "rule: linear", "rule: linera")) ==
        "knowledge/optimizers/sgd.yaml:7:21: learning_rate_rule: \"linera\" is none of linear, "
        "square_root (did you mean \"linear\"?)");
}

TEST_CASE("an adapter on layers says in which form, one elsewhere does not") {
  CHECK(adapter_error("summary: x\nplace: layers\nsources: [y]\n") ==
        "knowledge/adapters/lora.yaml:1:1: file: \"form\" is missing; a method on layers has one");
  CHECK(adapter_error("summary: x\nplace: tokens\nform: low_rank\nsources: [y]\n") ==
        "knowledge/adapters/lora.yaml:3:7: form: is for \"place: layers\" only");
  CHECK(adapter_error("summary: x\nplace: layers\nform: low_rnk\nsources: [y]\n")
            .find("(did you mean \"low_rank\"?)") != std::string::npos);
}

TEST_CASE("the names of forms stand in the order of the forms") {
  const auto form_of = [](const std::string& name) {
    const Document file = document("knowledge/adapters/x.yaml",
                                   "summary: x\nplace: layers\nform: " + name + "\nsources: [y]\n");
    return AdapterTraits::parse(file)->form;
  };
  CHECK(form_of("low_rank") == AdapterForm::low_rank);
  CHECK(form_of("mixed_factors") == AdapterForm::mixed_factors);
  CHECK(form_of("decomposed") == AdapterForm::decomposed);
  CHECK(form_of("scale_and_shift") == AdapterForm::scale_and_shift);
  CHECK(form_of("scale") == AdapterForm::scale);
  CHECK(form_of("projected") == AdapterForm::projected);
  CHECK(form_of("projected_and_scaled") == AdapterForm::projected_and_scaled);
  CHECK(form_of("written_update") == AdapterForm::written_update);
  CHECK(form_of("transformed_update") == AdapterForm::transformed_update);
  CHECK(form_of("convolved") == AdapterForm::convolved);
  CHECK(form_of("written_weight") == AdapterForm::written_weight);
  CHECK(form_of("changed_weight") == AdapterForm::changed_weight);
  CHECK(form_of("reflected_weight") == AdapterForm::reflected_weight);
  CHECK(form_of("rotated_input") == AdapterForm::rotated_input);
}

TEST_CASE("the catalog finds knowledge by id and lists ids without reading files") {
  const Catalog catalog = catalog_with(list_of(
      data_file("knowledge/optimizers/sgd.yaml", kSgd),
      data_file("knowledge/engines/ddp.yaml", "summary: x\nstates: replicated\nsources: [y]\n"),
      data_file("knowledge/words/brands.yaml", "summary: x\nwords: [a, b]\n")));
  REQUIRE(catalog.described<OptimizerTraits>("sgd") != nullptr);
  CHECK(catalog.described<OptimizerTraits>("sgd") == catalog.described<OptimizerTraits>("sgd"));
  CHECK(catalog.described<OptimizerTraits>("adamw") == nullptr);
  CHECK(catalog.ids(DataKind::optimizer) == std::vector<std::string_view>{"sgd"});
  CHECK(catalog.described<EngineTraits>("ddp")->states == StateLayout::replicated);
  CHECK(catalog.words("brands") == std::vector<std::string>{"a", "b"});
  CHECK(catalog.words("none").empty());
}

TEST_CASE("a GPU states only what its architecture does not fix") {
  const std::string ampere = R"(name: Ampere
vendor: nvidia
compute_capability: "8.6"
features: {tensor_cores: true, bf16_native: true, tf32: true, fp8: false, fp4: false,
  flash_attention_2: true, flash_attention_3: false, sdpa_flash: true,
  sdpa_memory_efficient: true, torch_compile: true}
fp32_units: 128
sources: [guide]
)";
  const Catalog catalog = catalog_with(list_of(
      data_file("hardware_db/architectures/ampere-86.yaml", ampere),
      data_file("hardware_db/gpus/mine.yaml",
                "names: [Mine]\narchitecture: ampere-86\nfeatures: {fp8: true}\nsources: [me]\n")));
  const Gpu* gpu = catalog.gpu("mine");
  REQUIRE(gpu != nullptr);
  CHECK(gpu->architecture == "Ampere");
  CHECK(gpu->vendor == "nvidia");
  CHECK(gpu->compute_capability == 86);
  CHECK(gpu->fp32_units == 128);
  CHECK(gpu->bf16_native);
  CHECK(gpu->fp8);
}

TEST_CASE("a GPU of an architecture nobody described states everything itself") {
  const Result<Catalog> catalog = Catalog::open(list_of(data_file(
      "hardware_db/gpus/mine.yaml", "names: [Mine]\narchitecture: ampere-99\nsources: [me]\n")));
  REQUIRE_FALSE(catalog);
  CHECK(catalog.error().to_string() ==
        "hardware_db/gpus/mine.yaml:2:15: architecture: \"ampere-99\" is not a known architecture; "
        "name "
        "one, or state vendor and features here");
}

TEST_CASE("a fleet names GPUs that exist") {
  const Result<Catalog> catalog = Catalog::open(list_of(
      data_file("hardware_db/gpus/rtx-3080.yaml", kRtx3080),
      data_file("hardware_db/fleets/common.yaml", "summary: mine\ngpus: [rtx-3080, rtx-3081]\n")));
  REQUIRE_FALSE(catalog);
  CHECK(catalog.error().to_string() ==
        "hardware_db/fleets/common.yaml:2:7: gpus: unknown GPU \"rtx-3081\" (did you mean "
        "\"rtx-3080\"?)");
}
