// vram.*, ram.*, shm.*: what the run needs against what the target offers. The verdicts are the
// estimate's (memory/memory_verdict.h); no rule compares a need with a budget by itself.

#include "base/text.h"
#include "engine/symbols.h"
#include "memory/memory_verdict.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
bool has_gpu(const SubjectEnvironment& environment) {
  return environment.gpu() != nullptr || environment.facts().gpu_memory;
}

namespace {

using Environment = const SubjectEnvironment&;
using expr::Value;

/// In the words of name_of(Fit); an unknown verdict is an unknown value.
const std::vector<std::string> kVerdicts = {"fits", "thin", "does not fit"};

Value word_of(const MemoryVerdict& verdict) {
  return verdict.fit == Fit::unknown ? Value() : Value(std::string(name_of(verdict.fit)));
}
Value certain_of(const MemoryVerdict& verdict) {
  return verdict.fit == Fit::unknown ? Value() : Value(verdict.certain);
}
Value deciding_of(const MemoryVerdict& verdict) {
  return verdict.deciding == Deciding::nothing ? Value() : Value(verdict.bytes.count());
}
Value deciding_words_of(const MemoryVerdict& verdict) {
  const std::string_view words = words_before(verdict.deciding);
  return words.empty() ? Value() : Value(std::string(words));
}

bool has_host_memory(Environment environment) {
  const Host* host = environment.host();
  return environment.facts().ram || (host != nullptr && host->ram);
}
bool has_shared_memory(Environment environment) {
  return environment.facts().shm || has_host_memory(environment);
}

/// The VRAM estimate where all of it may be used: a lower bound decides nothing but "certain".
const VramEstimate* complete_vram(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  return vram && !vram->lower_bound_only ? &*vram : nullptr;
}

double width(const Interval& interval) {
  if (interval.central.count() <= 0) return 0;
  return (interval.high - interval.low).as_double() / interval.central.as_double();
}

Value vram_low(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  return vram ? Value(vram->needed.low.count()) : Value();
}

Value vram_central(Environment environment) {
  const VramEstimate* vram = complete_vram(environment);
  return vram != nullptr ? Value(vram->needed.central.count()) : Value();
}

Value vram_high(Environment environment) {
  const VramEstimate* vram = complete_vram(environment);
  return vram != nullptr ? Value(vram->needed.high.count()) : Value();
}

Value vram_with_cache(Environment environment) {
  const VramEstimate* vram = complete_vram(environment);
  return vram != nullptr ? Value(vram->total.central.count()) : Value();
}

Value vram_width(Environment environment) {
  // Only verdicts ask for it: without a target it is not worth an estimate.
  if (!has_gpu(environment)) return {};
  const VramEstimate* vram = complete_vram(environment);
  return vram != nullptr ? Value(width(vram->needed)) : Value();
}

Value vram_fraction(Environment environment) {
  if (!has_gpu(environment)) return {};
  const VramEstimate* vram = complete_vram(environment);
  const std::optional<BytesRange>& usable = environment.estimate().usable_vram;
  if (vram == nullptr || !usable || usable->low.count() <= 0) return {};
  return Value(vram->needed.central.as_double() / usable->low.as_double());
}

/// Without a target no verdict is worth an estimate.
MemoryVerdict vram_verdict(Environment environment) {
  return has_gpu(environment) ? environment.estimate().vram_verdict : MemoryVerdict{};
}
Value vram_word(Environment environment) { return word_of(vram_verdict(environment)); }
Value vram_certain(Environment environment) { return certain_of(vram_verdict(environment)); }
Value vram_deciding(Environment environment) { return deciding_of(vram_verdict(environment)); }
Value vram_deciding_words(Environment environment) {
  return deciding_words_of(vram_verdict(environment));
}

Value vram_phase(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  return vram && !vram->phase.empty() ? Value(vram->phase) : Value();
}

Value vram_lower_bound_only(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  return vram ? Value(vram->lower_bound_only) : Value();
}

Value vram_measured(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  if (!vram) return {};
  return Value(vram->basis == VramBasis::measured_line || vram->basis == VramBasis::measured_point);
}

Value vram_explanation(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  return vram && !vram->explanation.empty() ? Value(vram->explanation) : Value();
}

/// "weights 97.5 MiB + gradients 97.5 MiB + context 450 MiB", the largest terms first.
std::string breakdown(std::vector<Term> terms, std::string (*print)(Bytes)) {
  constexpr std::size_t kMostTerms = 6;  // what a line holds; the rest is summed up
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.bytes > b.bytes; });
  std::string text;
  std::size_t shown = 0;
  Bytes rest;
  const auto add = [&](const Term& term) {
    const bool negative = term.bytes.count() < 0;
    if (!text.empty()) text += negative ? " - " : " + ";
    text += fmt::format("{} {}", term.name, print(negative ? Bytes{} - term.bytes : term.bytes));
    if (!term.arithmetic.empty()) text += fmt::format(" ({})", term.arithmetic);
  };
  for (const Term& term : terms) {
    if (term.bytes.count() == 0) continue;
    if (++shown <= kMostTerms) {
      add(term);
    } else {
      rest += term.bytes;
    }
  }
  if (rest.count() != 0) add({"others", rest, ""});
  return text;
}

Value vram_breakdown(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  if (!vram || vram->terms.empty()) return {};
  return Value(breakdown(vram->terms, &format_binary));
}

Value ram_low(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  return ram ? Value(ram->needed.low.count()) : Value();
}

Value ram_central(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  return ram ? Value(ram->needed.central.count()) : Value();
}

Value ram_with_loading(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  return ram ? Value(ram->total.central.count()) : Value();
}

Value ram_high(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  return ram ? Value(ram->needed.high.count()) : Value();
}

Value ram_available(Environment environment) {
  if (!has_host_memory(environment)) return {};
  return known_or_unknown(environment.estimate().available_ram);
}

Value ram_fraction(Environment environment) {
  if (!has_host_memory(environment)) return {};
  const Estimate& estimate = environment.estimate();
  if (!estimate.ram || !estimate.available_ram || estimate.available_ram->count() <= 0) return {};
  return Value(estimate.ram->needed.central.as_double() / estimate.available_ram->as_double());
}

MemoryVerdict ram_verdict(Environment environment) {
  return has_host_memory(environment) ? environment.estimate().ram_verdict : MemoryVerdict{};
}
Value ram_word(Environment environment) { return word_of(ram_verdict(environment)); }
Value ram_certain(Environment environment) { return certain_of(ram_verdict(environment)); }
Value ram_deciding(Environment environment) { return deciding_of(ram_verdict(environment)); }
Value ram_deciding_words(Environment environment) {
  return deciding_words_of(ram_verdict(environment));
}

Value ram_loader_buffers(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  return ram ? Value(ram->loader_buffers.count()) : Value();
}

Value ram_at_default_prefetch(Environment environment) {
  return known_or_unknown(environment.ram_at_default_prefetch());
}

Value ram_prefetch_is_the_cause(Environment environment) {
  const MemoryVerdict verdict = ram_verdict(environment);
  if (verdict.fit == Fit::unknown) return {};
  if (verdict.fit != Fit::thin || verdict.certain) return Value(false);
  const std::optional<Bytes> shallow = environment.ram_at_default_prefetch();
  const Bytes available = *environment.estimate().available_ram;
  return Value(shallow && surely_held(*shallow, {available, available}));
}

Value ram_breakdown(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  if (!ram || ram->terms.empty()) return {};
  return Value(breakdown(ram->terms, &format_decimal));
}

Value shm_needed(Environment environment) {
  if (!has_shared_memory(environment)) return {};
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  return ram ? Value(ram->shm.count()) : Value();
}

Value shm_word(Environment environment) {
  if (!has_shared_memory(environment)) return {};
  return word_of(environment.estimate().shm_verdict);
}

Value shm_available(Environment environment) {
  if (!has_shared_memory(environment)) return {};
  return known_or_unknown(environment.estimate().available_shm);
}

Value budget_headroom(Environment environment) { return Value(environment.subject().headroom); }

const std::vector<std::string_view> kVramFacts = {"per_device_batch_size", "model", "parameters",
                                                  "mixed_precision"};
const std::vector<std::string_view> kRamFacts = {"num_workers", "prefetch_factor",
                                                 "per_device_batch_size", "batch_bytes"};

std::vector<SymbolRow> vram_symbols() {
  const expr::Type bytes = number_type(expr::kBytes);
  return {
      {"vram.low", bytes, "VRAM that one device needs at least, cached blocks given back",
       kVramFacts, vram_low},
      {"vram.central", bytes, "VRAM that one device needs, central estimate", kVramFacts,
       vram_central},
      {"vram.high", bytes, "VRAM that one device needs at most", kVramFacts, vram_high},
      {"vram.with_cache", bytes,
       "VRAM of one device with cached blocks, as nvidia-smi would show it", kVramFacts,
       vram_with_cache},
      {"vram.width", number_type(), "width of the VRAM interval as a share of its centre",
       kVramFacts, vram_width},
      {"vram.fraction", number_type(), "central VRAM as a share of what can be counted on",
       kVramFacts, vram_fraction},
      {"vram.verdict", text_type(kVerdicts),
       "what the GPU's memory makes of the run: fits, thin (little is left, or the high end is "
       "over) or does not fit",
       kVramFacts, vram_word},
      {"vram.certain", boolean_type(), "the whole VRAM interval says what vram.verdict says",
       kVramFacts, vram_certain},
      {"vram.deciding", bytes, "the figure of the VRAM interval that the verdict rests on",
       kVramFacts, vram_deciding},
      {"vram.deciding_words", text_type(), "at least, about or up to: how vram.deciding is meant",
       kVramFacts, vram_deciding_words},
      {"vram.phase", text_type(), "phase of the step with the highest peak", kVramFacts,
       vram_phase},
      {"vram.lower_bound_only", boolean_type(), "activations are unknown: only vram.low is known",
       kVramFacts, vram_lower_bound_only},
      {"vram.measured", boolean_type(), "the project measured the memory of such a run", kVramFacts,
       vram_measured},
      {"vram.explanation", text_type(), "why the VRAM interval is as wide as it is", kVramFacts,
       vram_explanation},
      {"vram.breakdown", text_type(), "terms of the peak, largest first", kVramFacts,
       vram_breakdown},
  };
}

std::vector<SymbolRow> ram_symbols() {
  const expr::Type bytes = number_type(expr::kBytes);
  return {
      {"ram.low", bytes, "host memory of all ranks of one host, low end", kRamFacts, ram_low},
      {"ram.central", bytes, "host memory of all ranks of one host, central estimate", kRamFacts,
       ram_central},
      {"ram.with_loading", bytes,
       "host memory, central estimate, weights that may pass through it while the model loads "
       "included",
       kRamFacts, ram_with_loading},
      {"ram.high", bytes, "host memory of all ranks of one host, high end", kRamFacts, ram_high},
      {"ram.available", bytes, "host memory of the target", {"ram", "host"}, ram_available},
      {"ram.fraction", number_type(), "central host memory as a share of what there is", kRamFacts,
       ram_fraction},
      {"ram.verdict", text_type(kVerdicts),
       "what the host's memory makes of the run: fits, thin (little is left, or the high end is "
       "over) or does not fit",
       kRamFacts, ram_word},
      {"ram.certain", boolean_type(), "the whole interval says what ram.verdict says", kRamFacts,
       ram_certain},
      {"ram.deciding", bytes, "the figure of host memory that the verdict rests on", kRamFacts,
       ram_deciding},
      {"ram.deciding_words", text_type(), "at least, about or up to: how ram.deciding is meant",
       kRamFacts, ram_deciding_words},
      {"ram.loader_buffers", bytes, "workers x prefetch x batch bytes of all ranks of one host",
       kRamFacts, ram_loader_buffers},
      {"ram.at_default_prefetch", bytes,
       "high end of host memory with a prefetch factor of 2 instead", kRamFacts,
       ram_at_default_prefetch},
      {"ram.prefetch_is_the_cause", boolean_type(),
       "the high end exceeds the host's memory and a prefetch factor of 2 would not", kRamFacts,
       ram_prefetch_is_the_cause},
      {"ram.breakdown", text_type(), "terms of host memory, largest first", kRamFacts,
       ram_breakdown},
      {"shm.needed", bytes, "/dev/shm the batches in flight need at one moment", kRamFacts,
       shm_needed},
      {"shm.verdict", text_type(kVerdicts), "what /dev/shm makes of the batches in flight",
       kRamFacts, shm_word},
      {"shm.available", bytes, "size of the target's /dev/shm", {"shm", "host"}, shm_available},
      {"budget.headroom",
       number_type(),
       "share of a budget above which it counts as thin",
       {},
       budget_headroom},
  };
}

}  // namespace

std::vector<SymbolRow> budget_symbols() {
  std::vector<SymbolRow> rows = vram_symbols();
  std::vector<SymbolRow> more = ram_symbols();
  std::move(more.begin(), more.end(), std::back_inserter(rows));
  return rows;
}

}  // namespace gpulint
