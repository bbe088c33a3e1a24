// Rules over the dimensions and parameters of a model see those of a model that a config only
// names: take the name away from one of their samples, and their answer changes.

#include "lint/session.h"
#include "unit/lint/sample_linter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

constexpr const char* kNobodys = "nobody/unheard-of";
constexpr const char* kOddModel = "nobody/odd-widths";
// No published model's widths stop fp8; this one's do.
constexpr const char* kOddFile =
    "family: llama\n"
    "names: [nobody/odd-widths]\n"
    "dimensions: {hidden_size: 2048, intermediate_size: 5480, num_hidden_layers: 16}\n"
    "sources: [a test]\n";

/// A rule, a model that one of its samples names, and the model to name instead.
struct SeenRule {
  const char* rule;
  const char* model;
  const char* instead = kNobodys;
};
constexpr std::array kSeen = {
    SeenRule{"adapter-rate-for-all-weights", "Qwen/Qwen2.5-7B"},
    SeenRule{"cpu-offload-exceeds-ram", "meta-llama/Llama-2-70b-hf"},
    SeenRule{"experts-not-divisible-by-expert-ranks", "Qwen/Qwen3-30B-A3B"},
    SeenRule{"experts-under-tensor-parallel-without-sequence-parallel", "Qwen/Qwen3-30B-A3B"},
    SeenRule{"frozen-weights-in-fp32", "mistralai/Mistral-7B-v0.1"},
    SeenRule{"fp8-widths-not-multiples-of-16", "meta-llama/Llama-2-7b-hf", kOddModel},
    SeenRule{"full-state-dict-exceeds-ram", "meta-llama/Llama-2-70b-hf"},
    SeenRule{"head-size-not-multiple-of-eight", "facebook/opt-125m"},
    SeenRule{"heads-not-divisible-by-tensor-ranks", "meta-llama/Llama-2-70b-hf"},
    SeenRule{"host-ram-headroom-thin", "meta-llama/Llama-2-7b-hf"},
    SeenRule{"host-ram-over-budget", "meta-llama/Llama-2-7b-hf"},
    SeenRule{"key-value-heads-not-divisible-by-tensor-ranks", "Qwen/Qwen2.5-32B"},
    SeenRule{"layers-not-divisible-by-pipeline-ranks", "Qwen/Qwen2.5-7B"},
    SeenRule{"loader-workers-leave-no-core-free", "bert-base-uncased"},
    SeenRule{"more-experts-per-token-than-experts", "mistralai/Mixtral-8x7B-v0.1"},
    SeenRule{"no-loader-workers", "bert-base-uncased"},
    SeenRule{"pin-memory-off", "bert-base-uncased"},
    SeenRule{"prefetch-too-deep", "Qwen/Qwen2.5-0.5B"},
    SeenRule{"query-heads-not-divisible-by-key-value-heads", "meta-llama/Llama-2-70b-hf"},
    SeenRule{"sequence-longer-than-positions", "openai-community/gpt2"},
    SeenRule{"shared-memory-too-small", "gpt2"},
    SeenRule{"tensor-parallel-without-sequence-parallel", "meta-llama/Llama-2-13b-hf"},
    SeenRule{"vocabulary-not-divisible-by-tensor-ranks", "openai-community/gpt2-large"},
    SeenRule{"vocabulary-not-multiple-of-8", "openai-community/gpt2"},
    SeenRule{"width-not-divisible-by-heads", "facebook/opt-125m"},
    SeenRule{"width-not-multiple-of-eight", "meta-llama/Llama-2-7b-hf"},
};

/// What a rule may ask that a known model answers. The estimate of VRAM asks the model itself, so
/// rules over `vram.` need no entry.
bool asks_for_model(const std::string& name) {
  constexpr std::array<std::string_view, 18> kAnswers = {
      "hidden_size",         "num_hidden_layers",   "num_attention_heads",
      "num_key_value_heads", "intermediate_size",   "max_position_embeddings",
      "head_size",           "num_experts",         "moe_top_k",
      "vocab_size",          "parameters",          "parallel.head_size",
      "ram.offloaded",       "checkpoint.gathered", "ram.verdict",
      "ram.fraction",        "workload.text",       "ram.prefetch_is_the_cause"};
  return std::find(kAnswers.begin(), kAnswers.end(), name) != kAnswers.end();
}

std::vector<std::string> names_read(const Rule& rule) {
  std::vector<std::string> names = rule.when.names();
  for (const SeverityLevel& level : rule.severity) {
    for (std::string& name : level.when.names()) names.push_back(std::move(name));
  }
  return names;
}

/// The shipped data and the odd model.
const Session& session_of_odd_model() {
  static const MemoryReader data(
      MemoryReader::Files{{"data/model_db/models/llama/odd-widths.yaml", kOddFile}});
  static const Session session = [] {
    Result<Session> opened = Session::open(data, {.data_folder = "data"});
    REQUIRE_MESSAGE(opened.has_value(), (opened ? "" : opened.error().to_string()));
    return std::move(*opened);
  }();
  return session;
}

std::string renamed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Some sample that names the model gets another answer with the other one's name.
bool name_decides(const SeenRule& seen, const RuleManual& manual) {
  std::vector<RuleSample> samples = manual.bad;
  samples.insert(samples.end(), manual.ok.begin(), manual.ok.end());
  return std::any_of(samples.begin(), samples.end(), [&](const RuleSample& sample) {
    RuleSample other = sample;
    other.config = renamed(sample.config, seen.model, seen.instead);
    other.project = renamed(sample.project, seen.model, seen.instead);
    if (other.config == sample.config && other.project == sample.project) return false;
    const auto speaks = [&](const RuleSample& each) {
      const LintResult result = test::lint_sample(each, session_of_odd_model());
      return !test::lines_of(result, seen.rule, each).empty();
    };
    return speaks(sample) != speaks(other);
  });
}

}  // namespace

TEST_CASE("26 of 26 rules over what a model knows see it in a model that is only named") {
  const Catalog& catalog = test::shipped_catalog();
  std::size_t seen = 0;
  for (const SeenRule& each : kSeen) {
    INFO(std::string(each.rule));
    const auto rule = std::find_if(catalog.rules().begin(), catalog.rules().end(),
                                   [&](const Rule& one) { return one.id == each.rule; });
    REQUIRE(rule != catalog.rules().end());
    const bool decides = name_decides(each, catalog.manual(*rule));
    CHECK(decides);
    seen += decides ? 1 : 0;
  }
  CHECK(seen == 26);
}

TEST_CASE("no rule over what a model knows is missing from the table of those that see it") {
  std::set<std::string> listed;
  for (const SeenRule& each : kSeen) listed.insert(each.rule);
  for (const Rule& rule : test::shipped_catalog().rules()) {
    const std::vector<std::string> names = names_read(rule);
    const bool asks = std::any_of(names.begin(), names.end(), asks_for_model);
    const bool of_vram = std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name.starts_with("vram.");
    });
    INFO(rule.id);
    CHECK((asks && !of_vram) == (listed.count(rule.id) != 0));
  }
}

TEST_CASE("a finding that rests on a known model's number names the number and the model's file") {
  RuleSample sample;
  sample.file_name = "config.yaml";
  sample.config =
      "model: Qwen/Qwen3-30B-A3B\n"
      "micro_batch_size: 1\n"
      "global_batch_size: 16\n"
      "expert_model_parallel_size: 6\n";
  const LintResult result = test::lint_sample(sample);
  REQUIRE(result.findings.size() == 1);
  const Finding& finding = result.findings.front();
  CHECK(finding.rule == "experts-not-divisible-by-expert-ranks");
  CHECK(finding.pointer == "/expert_model_parallel_size");
  const std::vector<std::string> expected = {
      "num_experts: 128 experts (model_db/models/mixture-of-experts/qwen3-30b-a3b.yaml)"};
  CHECK(finding.arithmetic == expected);
}

TEST_CASE("a number the config states is not said to be the model's") {
  RuleSample sample;
  sample.file_name = "config.yaml";
  sample.config =
      "MODEL_ARGS:\n"
      "  --micro-batch-size: 2\n"
      "  --global-batch-size: 64\n"
      "  --tensor-model-parallel-size: 8\n"
      "  --num-attention-heads: 12\n";
  sample.project = "facts: {model: meta-llama/Llama-2-7b-hf}\n";
  const LintResult result = test::lint_sample(sample);
  const auto heads = std::find_if(
      result.findings.begin(), result.findings.end(),
      [](const Finding& finding) { return finding.rule == "heads-not-divisible-by-tensor-ranks"; });
  REQUIRE(heads != result.findings.end());
  CHECK(heads->arithmetic.empty());
}

}  // namespace gpulint
