#include "base/text.h"
#include "report/host_report.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

using probe::Figure;
using probe::HostCheck;
using probe::HostClaim;
using probe::HostConfirmation;
using probe::HostFacts;

std::string size_words(const std::optional<Bytes>& bytes) {
  return bytes ? format_binary(*bytes) : "unknown";
}

std::string cpu_words(const HostFacts& facts) {
  const auto available = available_cpus(facts);
  if (!available) return "unknown";
  std::string words = in_words(probe::HostQuantity::cpus, *available);
  if (facts.cpu_quota) {
    words += fmt::format("; quota {:.4g} ({})", *facts.cpu_quota, facts.cpu_quota_of);
  }
  if (facts.allowed_cpus) {
    words += fmt::format("; allowed {}", counted(*facts.allowed_cpus, "CPU"));
    if (facts.allowed_cores) words += " of " + counted(*facts.allowed_cores, "core");
  }
  if (facts.online_cpus) words += fmt::format(", the machine has {}", *facts.online_cpus);
  if (facts.numa_nodes) words += "; " + counted(*facts.numa_nodes, "NUMA node");
  return words;
}

std::string memory_words(const HostFacts& facts) {
  std::string words =
      fmt::format("{}, free {}", size_words(usable_memory(facts)), size_words(free_memory(facts)));
  if (facts.memory_limit) {
    words += fmt::format("; limit {} ({}), the machine has {}", format_binary(*facts.memory_limit),
                         facts.memory_limit_of, size_words(facts.memory_total));
  }
  return words;
}

std::string locked_words(const HostFacts& facts) {
  if (facts.locked_unlimited) return "no limit";
  return "at most " + size_words(facts.locked_limit);
}

std::string facts_lines(const HostFacts& facts) {
  std::string text = fmt::format("cpus               {}\n", cpu_words(facts));
  text += fmt::format("memory             {}\n", memory_words(facts));
  text += fmt::format("/dev/shm           {}, free {}\n", size_words(facts.shm_size),
                      size_words(facts.shm_free));
  text += fmt::format("locked memory      {} (RLIMIT_MEMLOCK)\n", locked_words(facts));
  if (!facts.unread.empty()) {
    text += fmt::format("not understood     {}\n", join(facts.unread, ", "));
  }
  return text;
}

std::string figure_line(const Figure& figure) {
  std::string line =
      fmt::format("{:<18} {} +- {}, {}, {}", name_of(figure.kind),
                  words_of(figure.kind, figure.value), words_of(figure.kind, figure.noise),
                  counted(figure.workers, "process|processes"), counted(figure.samples, "sample"));
  if (!figure.source.empty()) line += " (" + figure.source + ")";
  return line + "\n";
}

std::string_view verb_of(HostClaim claim) {
  switch (claim) {
    case HostClaim::provides:
      return "predicted at least";
    case HostClaim::holds:
      return "needed";
    case HostClaim::is:
      return "predicted";
  }
  return "";
}

std::string verdict_line(const HostCheck& check) {
  const auto words = [&](double value) { return in_words(check.quantity, value); };
  const std::string low = words(check.low);
  const std::string high = words(check.high);
  std::string line = fmt::format("{:<18} {}: {} {}, measured {}, tolerance {} ({})", check.name,
                                 name_of(check.verdict), verb_of(check.claim),
                                 low == high ? low : fmt::format("{} to {}", low, high),
                                 words(check.measured), words(check.tolerance), check.baseline);
  if (!check.why.empty()) line += "; " + check.why;
  return line + "\n";
}

}  // namespace

std::string host_text(const HostConfirmation& confirmation) {
  std::string text;
  if (confirmation.report.facts) text += facts_lines(*confirmation.report.facts);
  for (const Figure& figure : confirmation.report.figures) text += figure_line(figure);
  for (const std::string& why : confirmation.report.not_measured) {
    text += fmt::format("not measured       {}\n", why);
  }
  if (!confirmation.config.empty())
    text += fmt::format("config             {}\n", confirmation.config);
  for (const HostCheck& check : confirmation.checks) text += verdict_line(check);
  for (const std::string& why : confirmation.not_judged) {
    text += fmt::format("not judged         {}\n", why);
  }
  // Paths and what libraries print are input like any other.
  std::string lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.empty()) lines += escape_for_display(line) + "\n";
  }
  return lines;
}

}  // namespace gpulint
