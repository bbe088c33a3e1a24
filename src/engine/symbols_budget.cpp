// vram.*, ram.*, shm.*: what the run needs against what the target offers. The verdicts follow one
// scheme, so that the rules of one budget can exclude each other: `certain` when even the low end
// is too much, `likely` when the central estimate is, `possible` when only the high end is.

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

/// "Only high above it" is worth a note when the interval is at most this wide, as a share of the
/// central estimate (design: HOUSE section 5); a wider one would alarm without knowing.
constexpr double kNarrowInterval = 0.30;

const std::vector<std::string> kVramVerdicts = {"certain", "likely", "possible", "open", "no"};
const std::vector<std::string> kRamVerdicts = {"certain", "likely", "possible", "no"};

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
  return vram ? Value(vram->total.low.count()) : Value();
}

Value vram_central(Environment environment) {
  const VramEstimate* vram = complete_vram(environment);
  return vram != nullptr ? Value(vram->total.central.count()) : Value();
}

Value vram_high(Environment environment) {
  const VramEstimate* vram = complete_vram(environment);
  return vram != nullptr ? Value(vram->total.high.count()) : Value();
}

Value vram_width(Environment environment) {
  // Only verdicts ask for it: without a target it is not worth an estimate.
  if (!has_gpu(environment)) return {};
  const VramEstimate* vram = complete_vram(environment);
  return vram != nullptr ? Value(width(vram->total)) : Value();
}

Value vram_fraction(Environment environment) {
  if (!has_gpu(environment)) return {};
  const VramEstimate* vram = complete_vram(environment);
  const std::optional<BytesRange>& usable = environment.estimate().usable_vram;
  if (vram == nullptr || !usable || usable->low.count() <= 0) return {};
  return Value(vram->total.central.as_double() / usable->low.as_double());
}

Value vram_over(Environment environment) {
  if (!has_gpu(environment)) return {};
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  const std::optional<BytesRange>& usable = environment.estimate().usable_vram;
  if (!vram || !usable) return {};
  // A full device is no failure while cached blocks can be given back: what is needed decides.
  switch (verdict_on(*vram, usable)) {
    case MemoryVerdict::unknown:
      return {};
    case MemoryVerdict::does_not_fit:
      return Value("certain");
    case MemoryVerdict::fits:
      return Value("no");
    case MemoryVerdict::may_not_fit:
      break;
  }
  if (vram->needed.central > usable->low) return Value("likely");
  return Value(width(vram->needed) <= kNarrowInterval ? "possible" : "open");
}

/// The figure a verdict rests on, and the words that go before it.
struct Deciding {
  Bytes bytes;
  std::string_view words;
};

Deciding deciding_figure(const Interval& total, std::string_view verdict) {
  if (verdict == "certain") return {total.low, "at least"};
  if (verdict == "possible" || verdict == "open") return {total.high, "up to"};
  return {total.central, "about"};
}

std::optional<Deciding> vram_deciding_figure(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  const Value verdict = vram_over(environment);
  if (!vram || !verdict.known()) return std::nullopt;
  return deciding_figure(vram->needed, std::get<std::string>(verdict.data));
}

Value vram_deciding(Environment environment) {
  const std::optional<Deciding> figure = vram_deciding_figure(environment);
  return figure ? Value(figure->bytes.count()) : Value();
}

Value vram_deciding_words(Environment environment) {
  const std::optional<Deciding> figure = vram_deciding_figure(environment);
  return figure ? Value(std::string(figure->words)) : Value();
}

Value vram_phase(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  return vram && !vram->phase.empty() ? Value(vram->phase) : Value();
}

Value vram_lower_bound_only(Environment environment) {
  const std::optional<VramEstimate>& vram = environment.estimate().vram;
  return vram ? Value(vram->lower_bound_only) : Value();
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
  return ram ? Value(ram->total.low.count()) : Value();
}

Value ram_central(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  return ram ? Value(ram->total.central.count()) : Value();
}

Value ram_high(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  return ram ? Value(ram->total.high.count()) : Value();
}

Value ram_available(Environment environment) {
  if (!has_host_memory(environment)) return {};
  return known_or_unknown(environment.estimate().available_ram);
}

Value ram_fraction(Environment environment) {
  if (!has_host_memory(environment)) return {};
  const Estimate& estimate = environment.estimate();
  if (!estimate.ram || !estimate.available_ram || estimate.available_ram->count() <= 0) return {};
  return Value(estimate.ram->total.central.as_double() / estimate.available_ram->as_double());
}

Value ram_over(Environment environment) {
  if (!has_host_memory(environment)) return {};
  const Estimate& estimate = environment.estimate();
  if (!estimate.ram || !estimate.available_ram) return {};
  const Interval& total = estimate.ram->total;
  if (total.low > *estimate.available_ram) return Value("certain");
  if (total.central > *estimate.available_ram) return Value("likely");
  return Value(total.high > *estimate.available_ram ? "possible" : "no");
}

std::optional<Deciding> ram_deciding_figure(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  const Value verdict = ram_over(environment);
  if (!ram || !verdict.known()) return std::nullopt;
  return deciding_figure(ram->total, std::get<std::string>(verdict.data));
}

Value ram_deciding(Environment environment) {
  const std::optional<Deciding> figure = ram_deciding_figure(environment);
  return figure ? Value(figure->bytes.count()) : Value();
}

Value ram_deciding_words(Environment environment) {
  const std::optional<Deciding> figure = ram_deciding_figure(environment);
  return figure ? Value(std::string(figure->words)) : Value();
}

Value ram_loader_buffers(Environment environment) {
  const std::optional<RamEstimate>& ram = environment.estimate().ram;
  return ram ? Value(ram->loader_buffers.count()) : Value();
}

Value ram_at_default_prefetch(Environment environment) {
  return known_or_unknown(environment.ram_at_default_prefetch());
}

Value ram_prefetch_is_the_cause(Environment environment) {
  const Value over = ram_over(environment);
  if (!over.known()) return {};
  if (over != Value("possible")) return Value(false);
  const std::optional<Bytes> shallow = environment.ram_at_default_prefetch();
  return Value(shallow && *shallow <= *environment.estimate().available_ram);
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
      {"vram.low", bytes, "VRAM of one device, low end, as nvidia-smi would show it", kVramFacts,
       vram_low},
      {"vram.central", bytes, "VRAM of one device, central estimate", kVramFacts, vram_central},
      {"vram.high", bytes, "VRAM of one device, high end", kVramFacts, vram_high},
      {"vram.width", number_type(), "width of the VRAM interval as a share of its centre",
       kVramFacts, vram_width},
      {"vram.fraction", number_type(), "central VRAM as a share of what can be counted on",
       kVramFacts, vram_fraction},
      {"vram.over", text_type(kVramVerdicts),
       "does the run exceed the GPU: certain, likely, possible, open (too wide to say) or no",
       kVramFacts, vram_over},
      {"vram.deciding", bytes, "the end of the VRAM interval that the verdict rests on", kVramFacts,
       vram_deciding},
      {"vram.deciding_words", text_type(), "at least, about or up to: how vram.deciding is meant",
       kVramFacts, vram_deciding_words},
      {"vram.phase", text_type(), "phase of the step with the highest peak", kVramFacts,
       vram_phase},
      {"vram.lower_bound_only", boolean_type(), "activations are unknown: only vram.low is known",
       kVramFacts, vram_lower_bound_only},
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
      {"ram.high", bytes, "host memory of all ranks of one host, high end", kRamFacts, ram_high},
      {"ram.available", bytes, "host memory of the target", {"ram", "host"}, ram_available},
      {"ram.fraction", number_type(), "central host memory as a share of what there is", kRamFacts,
       ram_fraction},
      {"ram.over", text_type(kRamVerdicts),
       "does the run exceed the host's memory: certain, likely, possible or no", kRamFacts,
       ram_over},
      {"ram.deciding", bytes, "the end of the host-memory interval that the verdict rests on",
       kRamFacts, ram_deciding},
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
