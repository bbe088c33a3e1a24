#include "search/open_questions.h"

#include "plan/fact_table.h"
#include "run/fact_access.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

/// A fact whose usual values are a ladder that readers interpolate.
struct UsualLadder {
  std::string_view fact;
  std::array<std::string_view, 3> values;
  bool sizes_input = false;
};
// Tokens, pixels of an edge, voxels of an edge, samples, images, words, values. Nine of ten public
// training configs that state a batch, an edge, a length or a rank (91, 26, 70 and 22 of the
// labelled ones, November 2026) stay at or below the last value; the vocabularies are those of
// Llama 2 and 3 and one between.
constexpr std::array kLadders{
    UsualLadder{"sequence_length", {"512", "2048", "8192"}, true},
    UsualLadder{"image_size", {"224", "512", "1024"}, true},
    UsualLadder{"volume_size", {"64", "96", "160"}, true},
    UsualLadder{"per_device_batch_size", {"1", "8", "64"}, true},
    UsualLadder{"images_per_sample", {"1", "2", "4"}},
    UsualLadder{"sequences_per_sample", {"1", "2", "4"}},
    UsualLadder{"vocab_size", {"32000", "64000", "128256"}},
    UsualLadder{"adapter_rank", {"8", "16", "64"}},
};

// One machine of GPUs, where nobody names the host.
constexpr std::int64_t kUsualMachine = 8;
// How many such machines the largest of the usual runs has.
constexpr std::int64_t kUsualCluster = 8;
// A batch whose longest sample is a quarter of the limit: what short texts leave of it.
constexpr std::int64_t kShortOfLimit = 4;
// Models whose sizes are this near are built alike.
constexpr double kLikeSize = 1.35;

bool is_named_unknown(const Estimate& known, std::string_view fact) {
  return std::find(known.unknown.begin(), known.unknown.end(), fact) != known.unknown.end();
}

bool is_open_fact(const EstimateRequest& request, const Estimate& known, std::string_view fact) {
  return provenance_of(request.run.facts(), *find_fact(fact)) == nullptr &&
         is_named_unknown(known, fact);
}

std::pair<std::string, std::string> ranks(std::int64_t count) {
  return {"world_size", std::to_string(count)};
}

std::pair<std::string, std::string> stage(int number) {
  return {"sharding_stage", std::to_string(number)};
}

std::int64_t machine_of(const ResolvedRun& run) {
  const Host* host = run.host();
  const bool counted = host != nullptr && host->gpu_count && *host->gpu_count > 1;
  return counted ? *host->gpu_count : kUsualMachine;
}

/// Engines that may split the states: the run's own, else the usual ones; "" = it stays open.
std::vector<std::string> engines_of(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  if (plan.sharding_engine || plan.knowledge == nullptr) return {""};
  std::vector<std::string> engines = plan.knowledge->words("usual-sharding-engines");
  if (engines.empty()) engines.emplace_back();
  return engines;
}

FactChanges split_by(int number, const std::string& engine) {
  FactChanges changes{stage(number)};
  if (!engine.empty()) changes.emplace_back("sharding_engine", engine);
  return changes;
}

/// On how many ranks: as many as the run has, else one machine and several.
std::vector<FactChanges> over_ranks(const ResolvedRun& run, const FactChanges& split) {
  if (run.layout().world) return {split};
  const std::int64_t machine = machine_of(run);
  std::vector<FactChanges> answers;
  for (const std::int64_t count : {machine, machine * kUsualCluster}) {
    answers.push_back(split);
    answers.back().push_back(ranks(count));
  }
  return answers;
}

void append(std::vector<FactChanges>& answers, std::vector<FactChanges> more) {
  std::move(more.begin(), more.end(), std::back_inserter(answers));
}

OpenQuestion how_states_are_split(const ResolvedRun& run) {
  OpenQuestion question;
  if (run.layout().world) {
    question.answers = {{stage(0)}};
  } else {
    question.answers = {{stage(0), ranks(1)}, {stage(0), ranks(machine_of(run))}};
  }
  const std::vector<std::string> engines = engines_of(run);
  const std::vector<int> stages = split_stages(run);
  // Some of the states only: the engine whose stages they are.
  for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
    question.answers.push_back(over_ranks(run, split_by(stages[i], engines.front())).front());
  }
  if (stages.empty()) return question;
  for (const std::string& engine : engines) {
    append(question.answers, over_ranks(run, split_by(stages.back(), engine)));
  }
  return question;
}

OpenQuestion how_many_ranks(const ResolvedRun& run) {
  OpenQuestion question;
  const std::int64_t machine = machine_of(run);
  for (const std::int64_t count : {std::int64_t{1}, machine, machine * kUsualCluster}) {
    question.answers.push_back({ranks(count)});
  }
  return question;
}

void add_ranks(const EstimateRequest& request, const Estimate& known,
               std::vector<OpenQuestion>& questions) {
  const ResolvedRun& run = request.run;
  if (is_open_fact(request, known, "sharding_stage") && run.layout().world != 1) {
    questions.push_back(how_states_are_split(run));
  } else if (is_open_fact(request, known, "world_size")) {
    questions.push_back(how_many_ranks(run));
  }
}

/// Which of the sizes of a model is meant, where its name leaves that open ("t5").
OpenQuestion which_size(const std::vector<std::string>& sizes) {
  OpenQuestion question;
  question.sizes_input = true;
  for (const std::string& id : sizes)
    question.answers.push_back({{"model", id}, {"parameters", ""}});
  return question;
}

/// How a language model is built of which only its name is known, and how large that says it is:
/// like usual ones of its size.
OpenQuestion which_usual_network(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  const double size = static_cast<double>(plan.parameters->value);
  OpenQuestion question;
  question.sizes_input = true;
  for (const std::string& usual : plan.knowledge->words(usual_networks_like(plan))) {
    const ResolvedRun like = run.with({{"model", usual}, {"parameters", ""}});
    const double usual_size = static_cast<double>(at_least(like.facts().parameters, 1).value_or(1));
    if (std::max(size, usual_size) > kLikeSize * std::min(size, usual_size)) continue;
    question.answers.push_back(
        {{"model", usual}, {"parameters", std::to_string(plan.parameters->value)}});
  }
  return question;
}

bool is_stated(const Provenance& from) { return is_written(from) || is_taken_by_code(from); }

bool names_one_of(const Maybe<TextList>& names, const std::vector<std::string>& words) {
  return names && std::any_of(names->value.begin(), names->value.end(), [&](const auto& name) {
           return std::find(words.begin(), words.end(), name) != words.end();
         });
}

/// A language model is trained, and nothing says which: its name is a folder, or is given when the
/// run is started. Sizes of a kind of network that is not even known to read text would say nothing.
bool trains_some_language_model(const TrainingPlan& plan) {
  if (plan.image_size || plan.volume_size || at_least(plan.images_per_sample, 1)) return false;
  if (names_one_of(plan.adapter_targets, plan.knowledge->words("decoder-layers"))) return true;
  if (plan.num_classes) return false;
  // What a framework assumes where nothing is stated says that its config was not found.
  const bool has_length = plan.sequence_length && is_stated(plan.sequence_length->from);
  return is_true(plan.pad_to_max_length) ||
         (has_length && (plan.objective || is_true(plan.sequence_length_is_limit)));
}

/// "runs/NAME-7b/seed-1/merged": what a run before has made of a known model; the last folder that
/// has such a name counts.
std::optional<std::string> model_in_path(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  if (!plan.model || run.models() == nullptr) return std::nullopt;
  std::string_view path = plan.model->value;
  for (std::size_t slash = path.rfind('/'); slash != std::string_view::npos;
       slash = path.rfind('/')) {
    path = path.substr(0, slash);
    const std::string_view folder = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
    if (folder.empty()) continue;
    if (const auto found = run.models()->find(folder)) return found->entry.id;
  }
  return std::nullopt;
}

void add_network(const EstimateRequest& request, const Estimate& known,
                 std::vector<OpenQuestion>& questions) {
  const ResolvedRun& run = request.run;
  const TrainingPlan& plan = run.facts();
  const bool is_named = run.model() == nullptr && is_sized_by_name(plan) && plan.model &&
                        !is_counted_in_code(*plan.parameters);
  if (!is_named || run.may_be_quantized() || plan.knowledge == nullptr) return;
  if (!is_named_unknown(known, "activation_bytes_per_sample")) return;
  OpenQuestion question;
  if (const auto* models = run.models()) question = which_size(models->sizes_of(plan.model->value));
  const bool reads_text = at_least(plan.sequence_length, 1) && !plan.image_size;
  if (question.answers.empty() && reads_text) question = which_usual_network(run);
  if (!question.answers.empty()) questions.push_back(std::move(question));
}

/// fp32, half precision over fp32 weights, and weights in half precision.
void add_precision(const EstimateRequest& request, const Estimate& known,
                   std::vector<OpenQuestion>& questions) {
  const bool mixed = is_open_fact(request, known, "mixed_precision");
  const bool weights = !request.run.facts().weights_dtype;
  const Gpu* gpu = request.run.gpu();
  const bool lacks_bf16 = gpu != nullptr && gpu->compute_capability && !gpu->bf16_native;
  const std::string half = lacks_bf16 ? "fp16" : "bf16";
  OpenQuestion question;
  if (mixed && weights) {
    question.answers = {{{"mixed_precision", std::string(kOff)}, {"weights_dtype", "fp32"}},
                        {{"mixed_precision", half}, {"weights_dtype", "fp32"}},
                        {{"mixed_precision", half}, {"weights_dtype", half}}};
  } else if (mixed) {
    question.answers = {{{"mixed_precision", std::string(kOff)}}, {{"mixed_precision", half}}};
  } else if (weights && is_named_unknown(known, "weights_dtype")) {
    question.answers = {{{"weights_dtype", "fp32"}}, {{"weights_dtype", half}}};
  } else {
    return;
  }
  questions.push_back(std::move(question));
}

/// Samples that nothing packs or pads to the limit are as long as the data has them.
void add_longest_batch(const EstimateRequest& request, std::vector<OpenQuestion>& questions) {
  const TrainingPlan& plan = request.run.facts();
  const auto limit = at_least(plan.sequence_length, kShortOfLimit);
  if (!limit || !may_be_short(plan) || plan.variable_input_sizes) return;
  OpenQuestion question;
  for (const std::int64_t tokens : {*limit / kShortOfLimit, *limit}) {
    question.answers.push_back(
        {{"sequence_length", std::to_string(tokens)}, {"variable_input_sizes", "true"}});
  }
  questions.push_back(std::move(question));
}

void add_optimizer(const EstimateRequest& request, const Estimate& known,
                   std::vector<OpenQuestion>& questions) {
  const Catalog* catalog = request.run.facts().knowledge;
  if (catalog == nullptr || !is_open_fact(request, known, "optimizer")) return;
  OpenQuestion question;
  for (const std::string& name : catalog->words("usual-optimizers")) {
    question.answers.push_back({{"optimizer", name}});
  }
  if (question.answers.size() > 1) questions.push_back(std::move(question));
}

/// A model has positions for so many tokens, and reads no longer samples unless they are stretched.
std::vector<std::string> usual_values(const TrainingPlan& plan, const UsualLadder& ladder) {
  std::vector<std::string> values(ladder.values.begin(), ladder.values.end());
  const auto most = at_least(plan.max_position_embeddings, 1);
  if (ladder.fact != "sequence_length" || !most || is_true(plan.rope_scaling)) return values;
  std::vector<std::string> shorter;
  for (const std::string& value : values) {
    const bool fits = std::stoll(value) <= *most;
    shorter.push_back(fits ? value : std::to_string(*most));
  }
  shorter.erase(std::unique(shorter.begin(), shorter.end()), shorter.end());
  // A model of few positions: as long as those, or a quarter of it.
  if (shorter.size() == 1 && *most >= kShortOfLimit)
    shorter.insert(shorter.begin(), std::to_string(*most / kShortOfLimit));
  return shorter;
}

/// A name that says which model it is, though nothing is known of it: "org/Some-MoE". A folder says
/// nothing, nor does "{base}", which a program fills in.
bool names_one_model(const TrainingPlan& plan) {
  if (!plan.model || plan.model->value.empty()) return false;
  const std::string_view name = plan.model->value;
  return name.find_first_of("{\\") == name.npos && name.front() != '/' && name.front() != '.' &&
         std::count(name.begin(), name.end(), '/') <= 1;
}

}  // namespace

std::vector<int> split_stages(const ResolvedRun& run) {
  const EngineTraits* engine = run.engine();
  const StateLayout states =
      engine != nullptr ? engine->states : StateLayout::fp32_masters;  // has all of them
  if (states == StateLayout::main_gradients) return {1};
  if (states == StateLayout::replicated && engine != nullptr) return {};
  return {2, 3};
}

std::optional<OpenQuestion> open_network(const EstimateRequest& request, const Estimate& known) {
  const ResolvedRun& run = request.run;
  const TrainingPlan& plan = run.facts();
  if (known.vram && known.vram->basis != VramBasis::process_only) return std::nullopt;
  const bool is_counted = run.model() != nullptr || plan.parameters;
  if (plan.knowledge == nullptr || is_counted || plan.own_network || plan.network)
    return std::nullopt;
  OpenQuestion question;
  question.sizes_input = true;
  if (const auto named = model_in_path(run)) {
    question.answers.push_back({{"model", *named}});
  } else if (!names_one_model(plan) && trains_some_language_model(plan)) {
    for (const std::string& id : plan.knowledge->words("usual-decoder-ladder"))
      question.answers.push_back({{"model", id}});
  }
  if (question.answers.empty()) return std::nullopt;
  return question;
}

std::vector<OpenQuestion> open_questions(const EstimateRequest& request, const Estimate& known) {
  std::vector<OpenQuestion> questions;
  for (const UsualLadder& ladder : kLadders) {
    if (!is_open_fact(request, known, ladder.fact)) continue;
    OpenQuestion question;
    question.sizes_input = ladder.sizes_input;
    for (const std::string& value : usual_values(request.run.facts(), ladder)) {
      question.answers.push_back({{std::string(ladder.fact), value}});
    }
    questions.push_back(std::move(question));
  }
  add_network(request, known, questions);
  add_longest_batch(request, questions);
  add_ranks(request, known, questions);
  if (is_named_unknown(known, "activation_checkpointing")) {
    questions.push_back({{{{"activation_checkpointing", std::string(kOff)}},
                          {{"activation_checkpointing", "full"}}}});
  }
  add_precision(request, known, questions);
  add_optimizer(request, known, questions);
  return questions;
}

}  // namespace gpulint
