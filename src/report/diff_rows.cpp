// The quantities of a diff in words, shared by its text and its Markdown.

#include "base/text.h"
#include "report/diff_report.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace gpulint {
namespace {

constexpr double kPercent = 100;

std::string changed_duration(double seconds) {
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
  return significant(seconds / 3600, 4) + " h";
}

std::string money(double dollars) { return fmt::format("${:.2f}", dollars); }

std::string sign_of(double difference) { return difference < 0 ? "-" : "+"; }

/// " (+15 %)"; nothing for less than half a per mille, or where there was nothing before.
std::string share(double before, double after) {
  constexpr double kLeast = 0.05;
  if (!(before > 0)) return "";
  const double percent = (after / before - 1) * kPercent;
  if (std::abs(percent) < kLeast) return "";
  return std::abs(percent) < 10 ? fmt::format(" ({:+.1f} %)", percent)
                                : fmt::format(" ({:+.0f} %)", percent);
}

/// Builds a row from two optional values, how to print one, and how to print their difference.
template <class T, class Print, class Change>
DiffRow row(std::string name, const ConfigDiff& config, std::optional<T> before,
            std::optional<T> after, Print print, Change change) {
  const auto shown = [&](const std::optional<DiffSide>& side, const std::optional<T>& value) {
    if (!side) return std::string();
    return value ? print(*value) : std::string("unknown");
  };
  DiffRow result{std::move(name), shown(config.before, before), shown(config.after, after), ""};
  if (before && after) result.change = *before == *after ? "unchanged" : change(*before, *after);
  return result;
}

template <class T, class Read>
std::optional<T> from(const std::optional<DiffSide>& side, Read read) {
  if (!side) return std::nullopt;
  return read(*side);
}

std::string bytes_change(Bytes before, Bytes after) {
  const double difference = (after - before).as_double();
  return sign_of(difference) + format_binary(Bytes::rounded(std::abs(difference))) +
         share(before.as_double(), after.as_double());
}

std::string vram_text(const DiffSide& side) {
  if (!side.vram) return "unknown";
  if (side.vram_is_lower_bound) return "at least " + format_binary(side.vram->low);
  return format_binary(side.vram->central);
}

std::string fit_change(const ConfigDiff& config, MemoryVerdict DiffSide::*verdict) {
  const Fit before = config.before ? ((*config.before).*verdict).fit : Fit::unknown;
  const Fit after = config.after ? ((*config.after).*verdict).fit : Fit::unknown;
  if (after == Fit::unknown) return "";
  if (!config.before || before == after) return fmt::format("; {}", name_of(after));
  return fmt::format("; {} -> {}", name_of(before), name_of(after));
}

void add_fit_change(DiffRow& row, const ConfigDiff& config, MemoryVerdict DiffSide::*verdict) {
  row.change += fit_change(config, verdict);
  if (row.change.starts_with("; ")) row.change.erase(0, 2);
}

/// What is needed, centrally; a lower bound is shown as one and never subtracted.
DiffRow vram_row(const ConfigDiff& config) {
  const auto central = [](const DiffSide& side) -> std::optional<Bytes> {
    if (!side.vram || side.vram_is_lower_bound) return std::nullopt;
    return side.vram->central;
  };
  DiffRow result = row<Bytes>("peak VRAM", config, from<Bytes>(config.before, central),
                              from<Bytes>(config.after, central), format_binary, bytes_change);
  if (config.before) result.before = vram_text(*config.before);
  if (config.after) result.after = vram_text(*config.after);
  add_fit_change(result, config, &DiffSide::vram_verdict);
  return result;
}

DiffRow headroom_row(const ConfigDiff& config) {
  const auto headroom = [](const DiffSide& side) { return side.headroom(); };
  return row<Bytes>(
      "VRAM headroom", config, from<Bytes>(config.before, headroom),
      from<Bytes>(config.after, headroom), format_binary, [](Bytes before, Bytes after) {
        const double difference = (after - before).as_double();
        return sign_of(difference) + format_binary(Bytes::rounded(std::abs(difference)));
      });
}

/// "from 8 to 16": on how many devices a run fits whose launcher decides how states are split.
DiffRow devices_row(const ConfigDiff& config) {
  const auto read = [](const DiffSide& side) { return side.enough_devices; };
  return row<std::int64_t>(
      "GPUs, states split", config, from<std::int64_t>(config.before, read),
      from<std::int64_t>(config.after, read),
      [](std::int64_t count) { return fmt::format("fits from {} on", count); },
      [](std::int64_t before, std::int64_t after) {
        return fmt::format("from {} to {}", before, after);
      });
}

DiffRow ram_row(const ConfigDiff& config) {
  const auto central = [](const DiffSide& side) -> std::optional<Bytes> {
    if (!side.ram) return std::nullopt;
    return side.ram->central;
  };
  DiffRow result = row<Bytes>(
      "host RAM", config, from<Bytes>(config.before, central), from<Bytes>(config.after, central),
      format_decimal, [](Bytes before, Bytes after) {
        const double difference = (after - before).as_double();
        return sign_of(difference) + format_decimal(Bytes::rounded(std::abs(difference))) +
               share(before.as_double(), after.as_double());
      });
  add_fit_change(result, config, &DiffSide::ram_verdict);
  return result;
}

DiffRow time_row(std::string name, const ConfigDiff& config,
                 std::optional<TimeInterval> DiffSide::*member) {
  const auto central = [&](const DiffSide& side) -> std::optional<double> {
    if (!(side.*member)) return std::nullopt;
    return (side.*member)->central.value;
  };
  return row<double>(std::move(name), config, from<double>(config.before, central),
                     from<double>(config.after, central), changed_duration,
                     [](double before, double after) {
                       return sign_of(after - before) + changed_duration(std::abs(after - before)) +
                              share(before, after);
                     });
}

DiffRow cost_row(const ConfigDiff& config) {
  const auto central = [](const DiffSide& side) -> std::optional<double> {
    if (!side.cost) return std::nullopt;
    return side.cost->central.dollars;
  };
  return row<double>("cost", config, from<double>(config.before, central),
                     from<double>(config.after, central), money, [](double before, double after) {
                       return sign_of(after - before) + money(std::abs(after - before)) +
                              share(before, after);
                     });
}

DiffRow batch_row(const ConfigDiff& config) {
  const auto batch = [](const DiffSide& side) { return side.global_batch_size; };
  return row<std::int64_t>(
      "global batch", config, from<std::int64_t>(config.before, batch),
      from<std::int64_t>(config.after, batch),
      [](std::int64_t size) { return std::to_string(size); },
      [](std::int64_t before, std::int64_t after) {
        return fmt::format("x {:.3g}", static_cast<double>(after) / static_cast<double>(before));
      });
}

DiffRow rate_row(const ConfigDiff& config) {
  const auto rate = [](const DiffSide& side) { return side.learning_rate; };
  const auto plain = [](double value) { return fmt::format("{:g}", value); };
  DiffRow result =
      row<double>("learning rate", config, from<double>(config.before, rate),
                  from<double>(config.after, rate), plain, [](double before, double after) {
                    return before > 0 ? fmt::format("x {:.3g}", after / before) : std::string();
                  });
  if (config.learning_rate) {
    const LearningRateDiff& rates = *config.learning_rate;
    constexpr double kRounding = 0.005;  // rates are written with two or three digits
    const std::string_view rule = rates.rule == LearningRateRule::linear ? "linear" : "square-root";
    if (std::abs(rates.effective - 1) > kRounding) {
      result.change += fmt::format("; the {} rule gives {:.3g}: effectively x {:.3g}", rule,
                                   rates.expected, rates.effective);
    } else if (result.change != "unchanged") {
      result.change += fmt::format("; follows the {} rule", rule);
    }
  }
  return result;
}

bool says_something(const DiffRow& row) {
  const auto known = [](const std::string& text) { return !text.empty() && text != "unknown"; };
  return known(row.before) || known(row.after);
}

}  // namespace

std::vector<DiffRow> diff_rows(const ConfigDiff& config) {
  std::vector<DiffRow> rows{vram_row(config),
                            headroom_row(config),
                            devices_row(config),
                            ram_row(config),
                            time_row("step time", config, &DiffSide::step_time),
                            time_row("run time", config, &DiffSide::run_time),
                            cost_row(config),
                            batch_row(config),
                            rate_row(config)};
  std::erase_if(rows, [](const DiffRow& each) { return !says_something(each); });
  return rows;
}

std::string diff_title(const ConfigDiff& config) {
  std::string title = escape_for_display(config.path);
  if (config.phase) title += fmt::format(" (phase {})", escape_for_display(*config.phase));
  if (!config.gpu.empty()) title += " on " + config.gpu;
  if (!config.host.empty()) title += (config.gpu.empty() ? " on " : ", ") + config.host;
  switch (config.kind) {
    case DiffKind::renamed:
      return title + ", renamed from " + escape_for_display(config.old_path);
    case DiffKind::included:
      return title + ", through a file it refers to";
    case DiffKind::added:
    case DiffKind::removed:
      return fmt::format("{}, {}", title, name_of(config.kind));
    case DiffKind::modified:
      break;
  }
  return title;
}

std::string diff_unknown(const ConfigDiff& config) {
  std::set<std::string> facts;
  bool vram = false;
  bool ram = false;
  bool time = false;
  bool cost = false;
  for (const std::optional<DiffSide>* side : {&config.before, &config.after}) {
    if (!*side) continue;
    vram = vram || !(*side)->vram || (*side)->vram_is_lower_bound;
    ram = ram || !(*side)->ram;
    time = time || !(*side)->run_time;
    cost = cost || !(*side)->cost;
    facts.insert((*side)->unknown.begin(), (*side)->unknown.end());
  }
  std::vector<std::string> names;
  if (vram) names.emplace_back("peak VRAM");
  if (ram) names.emplace_back("host RAM");
  if (time) names.emplace_back("run time");
  if (cost) names.emplace_back("cost");
  if (names.empty()) return {};
  std::string text = join(names, ", ");
  const std::vector<std::string> missing(facts.begin(), facts.end());
  if (!missing.empty()) text += "; not known: " + join(missing, ", ");
  if (config.gpu.empty()) text += "; no GPU is named";
  return text;
}

std::string_view name_of(DiffKind kind) {
  switch (kind) {
    case DiffKind::added:
      return "added";
    case DiffKind::removed:
      return "removed";
    case DiffKind::modified:
      return "modified";
    case DiffKind::renamed:
      return "renamed";
    case DiffKind::included:
      return "included";
  }
  return "";
}

}  // namespace gpulint
