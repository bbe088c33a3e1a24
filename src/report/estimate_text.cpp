#include "base/text.h"
#include "memory/memory_verdict.h"
#include "report/budget_bar.h"
#include "report/conditions_text.h"
#include "report/duration.h"
#include "report/report.h"
#include "report/style.h"
#include "report/what_if_text.h"
#include "report/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpulint {
namespace {

constexpr int kMemoryBarWidth = 24;

/// What nvidia-smi prints for this many bytes: whole MiB.
std::string mebibytes(Bytes bytes) {
  constexpr double kMiB = 1024.0 * 1024.0;
  return with_thousands(Bytes::rounded(bytes.as_double() / kMiB).count()) + " MiB";
}

using Printer = std::string (*)(Bytes);

void add_terms(std::string& text, const std::vector<Term>& terms, Printer print) {
  int name_width = 0;
  int size_width = 0;
  Bytes largest;
  for (const Term& term : terms) {
    name_width = std::max(name_width, display_width(escape_for_display(term.name)));
    size_width = std::max(size_width, display_width(print(term.bytes)));
    largest = std::max(largest, term.bytes);
  }
  for (const Term& term : terms) {
    std::string line =
        fmt::format("    {} {} {}  {}", pad_right(escape_for_display(term.name), name_width),
                    bar_of(term.bytes, term.bytes, largest, kMemoryBarWidth),
                    pad_left(print(term.bytes), size_width), escape_for_display(term.arithmetic));
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
}

void add_phases(std::string& text, const VramEstimate& vram) {
  int width = 0;
  for (const PhasePeak& phase : vram.phases) width = std::max(width, display_width(phase.name));
  for (const PhasePeak& phase : vram.phases) {
    text += fmt::format("    {}  {}{}\n", pad_right(phase.name, width),
                        pad_left(format_binary(phase.total), 9),
                        phase.name == vram.phase ? "  <- peak" : "");
  }
}

/// " of 22.1 GiB usable: fits"; "" without a target.
std::string vram_verdict_text(const Estimate& estimate) {
  if (!estimate.usable_vram) return "";
  const auto& [low, high] = *estimate.usable_vram;
  std::string usable = format_binary(low);
  if (format_binary(high) != usable) usable += " to " + format_binary(high);
  return fmt::format(" of {} usable: {}", usable, name_of(estimate.vram_verdict.fit));
}

/// What a monitor shows besides what is needed: blocks the allocator keeps while there is room. No
/// monitor ever shows what does not fit.
void add_cached(std::string& text, const Estimate& estimate) {
  if (estimate.vram_verdict.fit == Fit::does_not_fit) return;
  const Bytes shown = estimate.vram->total.central;
  text += fmt::format("   with cached blocks: {} ({} in nvidia-smi)\n", format_binary(shown),
                      mebibytes(shown));
}

std::string_view words_of_lower_bound(VramBasis basis) {
  if (basis == VramBasis::operators) return "the rest depends on facts the config leaves open";
  if (basis == VramBasis::process_only) return "the network is unknown";
  return "the activations are unknown";
}

void add_vram(std::string& text, const Estimate& estimate) {
  if (!estimate.vram) {
    text += "  VRAM: unknown\n";
    return;
  }
  const VramEstimate& vram = *estimate.vram;
  const std::string verdict = vram_verdict_text(estimate);
  if (vram.lower_bound_only) {
    const std::string_view why = words_of_lower_bound(vram.basis);
    std::string ends = "at least " + format_binary(vram.needed.low);
    if (vram.bounded_above) ends += " and at most " + format_binary(vram.needed.high);
    text += fmt::format("  VRAM: {}{}; {}\n", ends, verdict, why);
  } else {
    text +=
        fmt::format("  VRAM: {} needed, between {} and {}{}\n", format_binary(vram.needed.central),
                    format_binary(vram.needed.low), format_binary(vram.needed.high), verdict);
    add_cached(text, estimate);
  }
  if (!vram.terms.empty()) {
    text +=
        vram.phase.empty() ? "   terms\n" : fmt::format("   terms at the peak ({})\n", vram.phase);
    add_terms(text, vram.terms, format_binary);
  }
  if (vram.phases.size() > 1) {
    text += "   phases\n";
    add_phases(text, vram);
  }
  if (vram.reserved_peak.count() > 0) {
    text += fmt::format("   allocated {}, reserved {}, outside the allocator {}\n",
                        format_binary(vram.allocated_peak), format_binary(vram.reserved_peak),
                        format_binary(vram.outside_allocator));
  }
  if (!vram.explanation.empty()) text += "   " + escape_for_display(vram.explanation) + "\n";
}

/// " of 62.0 GB: fits"; "" where nobody knows what there is.
std::string of_available(const std::optional<Bytes>& available, const MemoryVerdict& verdict) {
  if (!available) return "";
  return fmt::format(" of {}: {}", format_decimal(*available), name_of(verdict.fit));
}

void add_ram(std::string& text, const Estimate& estimate) {
  if (!estimate.ram) {
    text += "  host RAM: unknown\n";
    return;
  }
  const RamEstimate& ram = *estimate.ram;
  text += fmt::format("  host RAM: {}", format_decimal(ram.total.central));
  if (ram.total.low != ram.total.high) {
    text += fmt::format(", between {} and {}", format_decimal(ram.total.low),
                        format_decimal(ram.total.high));
  }
  const std::string verdict = of_available(estimate.available_ram, estimate.ram_verdict);
  const bool loading = ram.needed.central != ram.total.central;
  text += fmt::format("{}, {} on the host\n", loading ? "" : verdict, counted(ram.ranks, "rank"));
  if (loading) {
    text += fmt::format("   where weights go to the GPU as they are read: {}{}\n",
                        format_decimal(ram.needed.central), verdict);
  }
  add_terms(text, ram.terms, format_decimal);
  if (ram.own_total) {
    text += fmt::format(
        "   gpulint's own complete budget (pinned copies, worker processes, framework): {}; the "
        "total above uses the host_ram_other that was stated\n",
        format_decimal(*ram.own_total));
  }
  text += fmt::format("   /dev/shm: {}", format_decimal(ram.shm));
  text += of_available(estimate.available_shm, estimate.shm_verdict) + "\n";
}

template <class Quantity, class Print>
std::string interval_text(const Between<Quantity>& interval, const Print& print) {
  const std::string central = print(interval.central);
  if (interval.low == interval.high) return central;
  return fmt::format("{}, between {} and {}", central, print(interval.low), print(interval.high));
}

std::string duration_of(Seconds seconds) { return duration_text(seconds.value); }
std::string dollars_of(Money money) { return fmt::format("${:.2f}", money.dollars); }

void add_step(std::string& text, const StepTime& step) {
  text += fmt::format("  step time: {}", interval_text(step.total, duration_of));
  if (step.basis == TimeBasis::stated) {
    text += " (stated)\n";
    return;
  }
  text += fmt::format(", limited by {}\n", name_of(step.bottleneck));
  int width = 0;
  for (const TimeTerm& term : step.terms) width = std::max(width, display_width(term.name));
  for (const TimeTerm& term : step.terms) {
    std::string line =
        fmt::format("    {} {}  {:>3.0f} %  {}", pad_right(term.name, width),
                    pad_left(duration_text(term.time.value), 8),
                    100 * term.time.value / step.total.central.value, term.arithmetic);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text += "   operators that cost most\n";
  for (const OperatorTime& op : step.costliest) {
    text += fmt::format("    {}  {} x {}, by {}\n", pad_left(duration_text(op.time.value), 8),
                        op.count, op.name, name_of(op.bottleneck));
  }
  text += "   largest tensors kept for backward\n";
  for (const LargeTensor& tensor : step.largest_tensors) {
    text += fmt::format("    {}  {}: {}\n", pad_left(format_binary(tensor.bytes), 9), tensor.name,
                        tensor.shrink);
  }
  text += "   " + escape_for_display(step.explanation) + "\n";
}

void add_time(std::string& text, const Estimate& estimate) {
  if (estimate.step_time) add_step(text, *estimate.step_time);
  if (estimate.throughput) {
    text += fmt::format("  throughput: {}\n", interval_text(*estimate.throughput, [](PerSecond r) {
                          return significant(r.value, 4) + " samples/s";
                        }));
  }
  if (estimate.token_throughput) {
    text += fmt::format("  {}\n", interval_text(*estimate.token_throughput, [](PerSecond r) {
                          return significant(r.value, 4) + " tokens/s";
                        }));
  }
  if (estimate.step_time && estimate.step_time->mfu) {
    text += fmt::format("  MFU: {}\n", interval_text(*estimate.step_time->mfu, [](double share) {
                          return fmt::format("{:.0f} %", 100 * share);
                        }));
  }
  if (estimate.epoch_time) {
    text += fmt::format("  epoch: {}\n", interval_text(*estimate.epoch_time, duration_of));
  }
  if (estimate.run_time) {
    text += fmt::format("  run: {}\n", interval_text(*estimate.run_time, duration_of));
  }
  if (estimate.cost) {
    text += fmt::format("  cost: {}", interval_text(*estimate.cost, dollars_of));
    if (estimate.price) text += fmt::format(" at the price of {}", estimate.price->as_of);
    text += "\n";
  }
}

/// What the usual monitors show when all goes as predicted.
void add_monitoring(std::string& text, const Estimate& estimate) {
  std::vector<std::string> shown;
  const bool runs = estimate.vram_verdict.fit != Fit::does_not_fit;
  if (estimate.vram && !estimate.vram->lower_bound_only && runs) {
    shown.push_back(fmt::format("nvidia-smi {}", mebibytes(estimate.vram->total.central)));
  }
  if (estimate.ram)
    shown.push_back("host RAM used " + format_decimal(estimate.ram->needed.central));
  if (estimate.step_time) {
    shown.push_back(significant(1 / estimate.step_time->total.central.value, 3) + " it/s");
  }
  if (estimate.epoch_time) {
    shown.push_back(
        significant(estimate.epoch_time->central.value / 60, 3) + " minutes per epoch");
  }
  if (estimate.cost) shown.push_back(dollars_of(estimate.cost->central) + " in all");
  if (!shown.empty()) text += "  while it runs: " + join(shown, ", ") + "\n";
}

}  // namespace

std::string estimate_text(const FileReport& file, const ReportOptions& options) {
  const std::string path = paint(escape_for_display(file.path), Role::strong, options.color);
  if (file.dialect.empty()) return path + ": " + escape_for_display(file.reason) + "\n";
  std::string text;
  for (const PlanReport& plan : file.plans) {
    text += path;
    if (plan.phase) text += fmt::format(" (phase {})", escape_for_display(*plan.phase));
    text += ": ";
    const bool aimed = plan.gpu != nullptr || plan.host != nullptr;
    if (plan.gpu != nullptr) text += plan.gpu->id;
    if (plan.gpu != nullptr && plan.host != nullptr) text += ", ";
    if (plan.host != nullptr) text += plan.host->id;
    const std::string reason = escape_for_display(plan.target_reason);
    text += aimed ? fmt::format(" ({})\n", reason) : reason + "\n";
    add_vram(text, plan.estimate);
    if (plan.devices) text += "  " + devices_text(*plan.devices) + "\n";
    text += conditions_text(plan.conditions);
    if (plan.conditions.empty() && plan.what_if) text += what_if_text(*plan.what_if);
    add_ram(text, plan.estimate);
    add_time(text, plan.estimate);
    add_monitoring(text, plan.estimate);
    if (!knows_vram(plan.estimate) && !plan.estimate.unknown_for_vram.empty()) {
      text += "  VRAM depends on: " + join(plan.estimate.unknown_for_vram, ", ") +
              " (--set NAME=VALUE, or `facts` in .gpulint.yaml)\n";
    }
    if (plan.plan && !knows_vram(plan.estimate)) {
      for (const UnknownPart& part : plan.plan->unknown_parts)
        text += fmt::format("  {}: {}\n", part.fact, unknown_words(part));
    }
    if (!plan.estimate.unknown.empty()) {
      text += "  unknown: " + join(plan.estimate.unknown, ", ") + "\n";
    }
  }
  return text;
}

}  // namespace gpulint
