// allocator.*, and parts of the memory estimates that rules of their own speak of. Where such a
// rule speaks, the rule of the whole budget is silent: one cause, one finding.

#include "base/text.h"
#include "engine/symbols.h"
#include "search/least_devices.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;

/// Text after "option:" in PyTorch's "a:1,b:[x:2,>:1],c:True"; empty when it is not there. A list
/// in brackets is one value.
std::string_view allocator_option(std::string_view config, std::string_view option) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= config.size(); ++i) {
    const bool end = i == config.size() || (config[i] == ',' && depth == 0);
    if (!end) {
      if (config[i] == '[') ++depth;
      if (config[i] == ']') --depth;
      continue;
    }
    const std::string_view entry = trim(config.substr(begin, i - begin));
    if (entry.size() > option.size() && entry.starts_with(option) && entry[option.size()] == ':') {
      return trim(entry.substr(option.size() + 1));
    }
    begin = i + 1;
  }
  return {};
}

Value allocator_number(Environment environment, std::string_view option) {
  const Maybe<std::string>& config = environment.facts().allocator_config;
  if (!config) return {};
  return known_or_unknown(lenient_number(allocator_option(config->value, option)));
}
Value allocator_split_size(Environment environment) {
  return allocator_number(environment, "max_split_size_mb");
}
Value allocator_collection_threshold(Environment environment) {
  return allocator_number(environment, "garbage_collection_threshold");
}

/// In "[256:1,512:2,>:1]" the number behind the last size, or the one number for all sizes.
Value allocator_divisions_of_large_blocks(Environment environment) {
  const Maybe<std::string>& config = environment.facts().allocator_config;
  if (!config) return {};
  std::string_view divisions = allocator_option(config->value, "roundup_power2_divisions");
  if (divisions.empty()) return {};
  if (divisions.front() != '[') return known_or_unknown(lenient_number(divisions));
  const std::size_t largest = divisions.find(">:");
  if (largest == std::string_view::npos) return {};
  divisions.remove_prefix(largest + 2);
  return known_or_unknown(lenient_number(trim(divisions.substr(0, divisions.find_first_of(",]")))));
}

std::optional<Bytes> term(const std::vector<Term>& terms, std::string_view name) {
  std::optional<Bytes> bytes;
  for (const Term& one : terms) {
    if (one.name == name) bytes = bytes.value_or(Bytes{}) + one.bytes;
  }
  return bytes;
}

const VramEstimate* whole_vram(Environment environment) {
  if (!has_gpu(environment)) return nullptr;
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  return vram && !vram->lower_bound_only ? &*vram : nullptr;
}

Value vram_ema(Environment environment) {
  const VramEstimate* vram = whole_vram(environment);
  return vram == nullptr ? Value() : known_or_unknown(term(vram->terms, "EMA weights"));
}

/// The run would fit without the second copy of the weights, and does not fit with it.
Value vram_ema_is_the_cause(Environment environment) {
  const VramEstimate* vram = whole_vram(environment);
  if (vram == nullptr) return {};
  const MemoryVerdict& verdict = environment.estimate().vram_verdict;
  if (verdict.fit == Fit::unknown) return {};
  const std::optional<Bytes> copy = term(vram->terms, "EMA weights");
  if (!copy) return Value(false);
  return Value(verdict.fit == Fit::does_not_fit &&
               surely_held(vram->needed.central - *copy, *environment.estimate().usable_vram));
}

/// The highest phase is evaluation, and every other phase fits.
Value vram_evaluation_is_the_cause(Environment environment) {
  const VramEstimate* vram = whole_vram(environment);
  if (vram == nullptr || !environment.facts().eval_batch_size) return {};
  const Estimate& estimate = environment.estimate();
  if (estimate.vram_verdict.fit == Fit::unknown) return {};
  const bool over = estimate.vram_verdict.fit == Fit::does_not_fit;
  if (vram->phase != "evaluation" || !over) return Value(false);
  return Value(std::all_of(vram->phases.begin(), vram->phases.end(), [&](const PhasePeak& phase) {
    return phase.name == "evaluation" || surely_held(phase.needed, *estimate.usable_vram);
  }));
}

std::optional<Bytes> host_memory(Environment environment) {
  if (environment.facts().ram) return environment.facts().ram->value;
  const Host* host = environment.host();
  return host != nullptr ? host->ram : std::nullopt;
}

/// What offloading puts into the memory of one host at least, as the estimate counts it; without
/// a value where nothing is offloaded, so that no finding names the model's size as its reason.
Value ram_offloaded(Environment environment) {
  if (!host_memory(environment)) return {};
  const std::optional<Interval>& offloaded = environment.estimate().offloaded;
  return offloaded && offloaded->high > Bytes{} ? Value(offloaded->low.count()) : Value();
}

/// What one rank gathers to save a full state dict: fp32 weights of the whole network.
Value checkpoint_gathered(Environment environment) {
  constexpr std::int64_t kFp32Bytes = 4;
  const Maybe<std::int64_t>& parameters = environment.facts().parameters;
  if (!parameters || parameters->value < 1) return {};
  return Value((Bytes::of(kFp32Bytes) * parameters->value).count());
}

Value devices_least(Environment environment) {
  const LeastDevices* devices = environment.subject().devices;
  return devices == nullptr ? Value() : Value(devices->least);
}

Value devices_enough(Environment environment) {
  const LeastDevices* devices = environment.subject().devices;
  return devices == nullptr ? Value() : known_or_unknown(devices->enough);
}

Value devices_available(Environment environment) {
  const LeastDevices* devices = environment.subject().devices;
  return devices == nullptr ? Value() : known_or_unknown(devices->available);
}

Value devices_certain(Environment environment) {
  const LeastDevices* devices = environment.subject().devices;
  return devices == nullptr ? Value() : Value(devices->certain);
}

/// "; with ZeRO-3 or FSDP it fits from 8 on" as far as it is known.
Value devices_enough_sentence(Environment environment) {
  const LeastDevices* devices = environment.subject().devices;
  if (devices == nullptr || !devices->enough) return Value("");
  return Value(fmt::format("; with {} it fits from {} on", kSplitsAllStates, *devices->enough));
}

}  // namespace

std::vector<SymbolRow> memory_symbols() {
  const expr::Type bytes = number_type(expr::kBytes);
  const std::vector<std::string_view> allocator = {"allocator_config"};
  return {
      {"allocator.max_split_size_mb", number_type(),
       "largest block the allocator splits, in MiB, as PYTORCH_CUDA_ALLOC_CONF states it",
       allocator, allocator_split_size},
      {"allocator.garbage_collection_threshold", number_type(),
       "share of memory above which the allocator gives blocks back", allocator,
       allocator_collection_threshold},
      {"allocator.divisions_of_large_blocks", number_type(),
       "steps between two powers of two that the largest blocks are rounded to", allocator,
       allocator_divisions_of_large_blocks},
      {"vram.ema", bytes, "the moving average's copy of the weights", {"ema"}, vram_ema},
      {"vram.ema_is_the_cause",
       boolean_type(),
       "the run would fit without the moving average's copy",
       {"ema", "per_device_batch_size"},
       vram_ema_is_the_cause},
      {"vram.evaluation_is_the_cause",
       boolean_type(),
       "training fits and evaluation does not",
       {"eval_batch_size"},
       vram_evaluation_is_the_cause},
      {"devices.least",
       number_type(),
       "on fewer GPUs the run does not fit, however its states are split; known where a launcher "
       "decides that",
       {"sharding_stage"},
       devices_least},
      {"devices.enough",
       number_type(),
       "GPUs on which the run fits with all states split",
       {"sharding_stage"},
       devices_enough},
      {"devices.enough_sentence",
       text_type(),
       "on how many GPUs the run fits, in words",
       {"sharding_stage"},
       devices_enough_sentence},
      {"devices.available",
       number_type(),
       "GPUs that are there: those the run states, else those of the host where the run states how "
       "many hosts it has",
       {"world_size", "nodes"},
       devices_available},
      {"devices.certain",
       boolean_type(),
       "nothing is moved to the host: devices.least is certain",
       {"offload"},
       devices_certain},
      {"ram.offloaded",
       bytes,
       "weights and optimizer state that offloading puts into the memory of each host, at least",
       {"offload_optimizer", "offload_parameters", "parameters"},
       ram_offloaded},
      {"checkpoint.gathered",
       bytes,
       "fp32 weights of the whole network, which one rank gathers for a full state dict",
       {"state_dict_type", "gather_weights_on_save", "parameters"},
       checkpoint_gathered},
  };
}

}  // namespace gpulint
