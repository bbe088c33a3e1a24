#include "base/text.h"
#include "probe/config_checks.h"
#include "report/check_report.h"
#include "report/confirm_report.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

using probe::Check;
using probe::Confirmation;
using probe::DeviceReport;
using probe::Rate;
using probe::RateKind;
using probe::Tier;

constexpr double kBytesPerMiB = 1048576.0;

std::string mib(const std::optional<Bytes>& bytes) {
  return bytes ? fmt::format("{:.0f} MiB", bytes->as_double() / kBytesPerMiB) : "unknown";
}

/// What a figure says of the card itself.
std::string_view bound_of(RateKind kind) {
  const auto product = probe::product_of(kind);
  if (!product || product->tier == Tier::library) return "";
  return product->tier == Tier::kernel ? ", our own kernel: at least this"
                                       : ", instructions alone: at most this";
}

std::string rate_line(const Rate& rate) {
  return fmt::format("{:<17} {} +- {}, {}{}\n", name_of(rate.kind), words_of(rate.kind, rate.value),
                     words_of(rate.kind, rate.noise), counted(rate.samples, "sample"),
                     bound_of(rate.kind));
}

std::string sustained_line(const probe::Sustained& sustained) {
  std::string line = fmt::format("sustained         {}: {} at first, {} at the end of {:.0f} s; ",
                                 name_of(sustained.kind), words_of(sustained.kind, sustained.first),
                                 words_of(sustained.kind, sustained.last), sustained.seconds);
  line += fmt::format("from {} to {}", state_words(sustained.low), state_words(sustained.high));
  for (const std::string& why : sustained.slowed_down) line += "; " + why;
  return line + "\n";
}

std::string batch_lines(const probe::BatchReport& batch) {
  std::string text;
  for (const probe::BatchTrial& trial : batch.trials) {
    text += fmt::format("batch         {}: {}{}, {} needed\n", trial.batch, name_of(trial.verdict),
                        trial.tried ? "" : " by arithmetic", format_binary(trial.needed));
  }
  return text + (batch.largest ? fmt::format("largest batch {}\n", *batch.largest)
                               : fmt::format("largest batch unknown: {}\n", batch.why));
}

std::string device_text(const Confirmation& confirmation, const DeviceReport& device) {
  std::string text = fmt::format("{}\n", probe::kNotValidated);
  text += fmt::format("device        {} (database: {}), PCI {}, 1 of {} visible\n", device.name,
                      confirmation.gpu_id.empty() ? "not in it" : confirmation.gpu_id,
                      device.pci_bus_id, device.visible_devices);
  text += fmt::format("              compute capability {}.{}, {} SMs, L2 {}{}\n",
                      device.compute_capability / 10, device.compute_capability % 10,
                      device.sm_count, format_binary(device.l2_cache), device.mig ? ", MIG" : "");
  text += fmt::format("driver        {}, CUDA {}.{}, {}\n",
                      device.driver_version.empty() ? "version unknown" : device.driver_version,
                      device.cuda_version / 1000, device.cuda_version % 1000 / 10,
                      device.driver_library);
  text += fmt::format("memory        nvidia-smi {}, of that reserved {}; CUDA {}\n",
                      mib(device.nvml_total), mib(device.nvml_reserved), mib(device.cuda_total));
  text += fmt::format("context       {}; free before {}, after {}\n", mib(device.context),
                      mib(device.free_before_context), mib(device.free_after_context));
  if (device.other_processes.value_or(0) > 0) {
    text += fmt::format("other users   {} on this device\n",
                        counted(*device.other_processes, "compute process|compute processes"));
  }
  if (device.pcie) {
    text +=
        fmt::format("PCIe          x{} of x{}, generation {} of {}\n", device.pcie->width,
                    device.pcie->max_width, device.pcie->generation, device.pcie->max_generation);
  }
  if (device.numa_node) {
    text += fmt::format("host memory   of NUMA node {}, beside the card\n", *device.numa_node);
  }
  if (!device.library.empty()) text += "library       " + device.library + "\n";
  for (const Rate& rate : device.rates) text += rate_line(rate);
  if (device.sustained) text += sustained_line(*device.sustained);
  if (const std::string words = state_words(device.under_load); !words.empty()) {
    text += "under load    " + words + "\n";
  }
  for (const std::string& name : device.trials) text += "right         " + name + "\n";
  if (!device.broken_by.empty()) {
    text += fmt::format("broken        {} broke the CUDA context; what follows was not measured\n",
                        device.broken_by);
  }
  for (const std::string& why : device.not_timed) text += "not timed     " + why + "\n";
  if (!device.disturbed_by.empty()) text += "disturbed     " + device.disturbed_by + "\n";
  if (!device.cut_off.empty()) {
    text += fmt::format("cut off       {}; what follows was not measured\n", device.cut_off);
  }
  if (!confirmation.config.empty()) text += "config        " + confirmation.config + "\n";
  if (!confirmation.unpredicted.empty()) text += "not played    " + confirmation.unpredicted + "\n";
  if (device.footprint) text += "replay        " + in_words(*device.footprint) + "\n";
  if (device.batch) text += batch_lines(*device.batch);
  for (const Check& check : confirmation.checks) text += check_line(check);
  text += fmt::format("not measured  {}\n", probe::kNotMeasured);
  return text;
}

}  // namespace

std::string check_line(const Check& check) {
  const probe::Prediction& prediction = check.prediction;
  const auto words = [&](double value) { return in_words(prediction.quantity, value); };
  const std::string low = words(prediction.low);
  const std::string high = words(prediction.high);
  std::string line = fmt::format(
      "{:<13} {}: predicted {}, measured {}, tolerance {} ({})", check.name,
      name_of(check.judgement.verdict), low == high ? low : fmt::format("{} to {}", low, high),
      words(check.measurement.value), words(check.judgement.tolerance), check.baseline);
  if (!check.judgement.why.empty()) line += "; " + check.judgement.why;
  return line + "\n";
}

std::string state_words(const probe::CardState& state) {
  constexpr double kHertzPerMegahertz = 1e6;
  std::string words;
  const auto add = [&words](const std::string& part) {
    words += (words.empty() ? "" : ", ") + part;
  };
  if (state.sm_clock) add(fmt::format("{:.0f} MHz", *state.sm_clock / kHertzPerMegahertz));
  if (state.power) {
    add(fmt::format("{:.0f} W", *state.power) +
        (state.power_limit ? fmt::format(" of {:.0f} W", *state.power_limit) : ""));
  }
  if (state.temperature) add(fmt::format("{:.0f} C", *state.temperature));
  return words;
}

std::string escaped_lines(const std::string& text) {
  std::string lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) lines += escape_for_display(line) + "\n";
  }
  return lines;
}

std::string nothing_confirmed(const probe::Unavailable& none) {
  return escape_for_display(fmt::format("nothing confirmed: {}: {}; {}", name_of(none.reason),
                                        none.detail, remedy_for(none.reason))) +
         "\n";
}

std::string nothing_confirmed(const probe::Failed& failed) {
  return escape_for_display(fmt::format("nothing confirmed: {}", failed.message)) + "\n";
}

std::string confirm_text(const Confirmation& confirmation) {
  if (const auto* none = std::get_if<probe::Unavailable>(&confirmation.outcome)) {
    return nothing_confirmed(*none);
  }
  if (const auto* failed = std::get_if<probe::Failed>(&confirmation.outcome)) {
    return nothing_confirmed(*failed);
  }
  return escaped_lines(device_text(confirmation, std::get<DeviceReport>(confirmation.outcome)));
}

}  // namespace gpulint
