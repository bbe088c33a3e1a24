#include "report/html_budget.h"

#include "report/conditions_text.h"
#include "report/duration.h"
#include "report/machine.h"
#include "report/style.h"
#include "report/term_colors.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gpulint {
namespace {

/// Room to the right of the longest part, so that a limit at the end is seen.
constexpr double kMargin = 1.06;
/// Shares of a budget: below the first a term is not listed, from the second on it shows how it was
/// worked out. `gpulint estimate` shows all.
constexpr double kSmall = 0.004;
constexpr double kWorthExplaining = 0.05;

double percent(Bytes part, double whole) {
  return std::clamp(100 * part.as_double() / whole, 0.0, 100.0);
}

using Printer = std::string (*)(Bytes);

/// One kind of memory: what there is of it, what is needed, and who offers it.
struct Budget {
  const std::vector<Term>& terms;
  Interval total;
  bool has_interval = true;
  std::optional<Bytes> capacity;
  std::string limit;  // "a10g 22.1 GiB"
  Printer print = format_binary;
};

double scale_of(const Budget& budget) {
  Bytes top = budget.has_interval ? budget.total.high : budget.total.low;
  Bytes sum;
  for (const Term& term : budget.terms) sum = sum + term.bytes;
  top = std::max(top, sum);
  if (budget.capacity) top = std::max(top, *budget.capacity);
  return std::max(1.0, kMargin * top.as_double());
}

std::string bar(const Budget& budget) {
  const double scale = scale_of(budget);
  std::string text = budget.has_interval ? "<div class=bar>" : "<div class=\"bar open\">";
  for (const Term& term : budget.terms) {
    const double width = percent(term.bytes, scale);
    if (width < 0.05) continue;
    text +=
        fmt::format("<span class=t{} style=width:{:.1f}%></span>", color_of_term(term.name), width);
  }
  if (budget.has_interval) {
    const double low = percent(budget.total.low, scale);
    text += fmt::format("<u style=left:{:.1f}%;width:{:.1f}%></u>", low,
                        percent(budget.total.high, scale) - low);
  }
  if (budget.capacity) {
    text += fmt::format("<i style=left:{:.1f}%><b>{}</b></i>", percent(*budget.capacity, scale),
                        xml_text(budget.limit));
  }
  return text + "</div>\n";
}

/// What is too small to be seen in the bar is one entry.
std::string legend(const Budget& budget) {
  Bytes sum;
  for (const Term& term : budget.terms) sum = sum + term.bytes;
  Bytes small;
  std::string text = "<ul class=legend>";
  for (const Term& term : budget.terms) {
    const double share = term.bytes.as_double() / std::max(1.0, sum.as_double());
    if (share < kSmall) {
      small = small + term.bytes;
      continue;
    }
    text += fmt::format("<li><i class=t{}></i>{} <b>{}</b>", color_of_term(term.name),
                        xml_text(term.name), budget.print(term.bytes));
    if (!term.arithmetic.empty() && share >= kWorthExplaining) {
      text += fmt::format(" <span class=faint>{}</span>", xml_text(term.arithmetic));
    }
    text += "</li>";
  }
  if (small.count() > 0) text += fmt::format("<li>others <b>{}</b></li>", budget.print(small));
  return text + "</ul>\n";
}

/// " of 22.1 GiB: fits"; "" without a target.
std::string verdict_html(const std::optional<Bytes>& capacity, Fit fit, Printer print) {
  if (!capacity) return {};
  constexpr std::string_view kClasses[] = {"unknown", "fits", "thin", "over"};
  return fmt::format(" of {}: <b class=\"verdict {}\">{}</b>", print(*capacity),
                     kClasses[static_cast<std::size_t>(fit)], name_of(fit));
}

std::string html_condition(const Condition& condition) {
  const Interval& needed = condition.needed;
  std::string text = fmt::format("<li>{}: <b>", xml_text(condition_words(condition)));
  text += condition.bounded_above
              ? fmt::format("{} to {}", format_binary(needed.low), format_binary(needed.high))
              : fmt::format("from {}", format_binary(needed.low));
  text += "</b>";
  if (condition.verdict.deciding != Deciding::nothing) {
    text.append(" ").append(name_of(condition.verdict.fit));
  }
  return text + "</li>";
}

/// What the open facts decide.
std::string html_conditions(const PlanReport& plan) {
  std::string text;
  if (plan.devices) text = fmt::format("<p>{}</p>\n", xml_text(devices_text(*plan.devices)));
  if (plan.conditions.empty()) return text;
  text += "<details><summary>What the open facts decide</summary><ul>";
  for (const Condition& condition : plan.conditions) text += html_condition(condition);
  return text + "</ul></details>\n";
}

std::optional<Bytes> usable_of(const PlanReport& plan) {
  if (!plan.estimate.usable_vram) return std::nullopt;
  return plan.estimate.usable_vram->low;
}

std::string vram_html(const PlanReport& plan, bool pictures) {
  const VramEstimate& vram = *plan.estimate.vram;
  Budget budget{.terms = vram.terms,
                .total = vram.total,
                .has_interval = !vram.lower_bound_only,
                .capacity = usable_of(plan),
                .limit = {}};
  if (plan.gpu != nullptr && budget.capacity) {
    budget.limit = plan.gpu->id + " " + format_binary(*budget.capacity);
  }
  const std::string verdict =
      verdict_html(budget.capacity, plan.estimate.vram_verdict.fit, format_binary);
  std::string text = pictures ? bar(budget) + legend(budget) : std::string();
  if (vram.lower_bound_only) {
    text += fmt::format(
        "<p>VRAM: at least <b>{}</b>{}{}; the rest is open</p>\n", format_binary(vram.needed.low),
        vram.bounded_above ? " and at most " + format_binary(vram.needed.high) : "", verdict);
  } else {
    text += fmt::format(
        "<p>VRAM: needs <b>{}</b> ({} to {}){}; with cached blocks {}, highest in {}</p>\n",
        format_binary(vram.needed.central), format_binary(vram.needed.low),
        format_binary(vram.needed.high), verdict, format_binary(vram.total.central),
        xml_text(vram.phase));
  }
  return pictures ? text + html_conditions(plan) : text;
}

std::string ram_html(const PlanReport& plan, bool pictures) {
  const RamEstimate& ram = *plan.estimate.ram;
  Budget budget{.terms = ram.terms,
                .total = ram.total,
                .has_interval = ram.total.low != ram.total.high,
                .capacity = plan.estimate.available_ram,
                .limit = {},
                .print = format_decimal};
  if (budget.capacity) {
    budget.limit =
        (plan.host == nullptr ? "" : plan.host->id + " ") + format_decimal(*budget.capacity);
  }
  std::string text = pictures ? bar(budget) + legend(budget) : std::string();
  text +=
      fmt::format("<p>host RAM: needs <b>{}</b> ({} to {}){}", format_decimal(ram.needed.central),
                  format_decimal(ram.needed.low), format_decimal(ram.needed.high),
                  verdict_html(budget.capacity, plan.estimate.ram_verdict.fit, format_decimal));
  if (ram.shm.count() > 0) {
    text += fmt::format(
        "; /dev/shm <b>{}</b>{}", format_decimal(ram.shm),
        verdict_html(plan.estimate.available_shm, plan.estimate.shm_verdict.fit, format_decimal));
  }
  return text + "</p>\n";
}

template <class Quantity, class Print>
void add_figure(std::vector<std::string>& figures, std::string_view name,
                const std::optional<Between<Quantity>>& value, const Print& print) {
  if (!value) return;
  std::string text = fmt::format("{} <b>{}</b>", name, print(value->central));
  if (value->low != value->high) {
    text += fmt::format(" ({} to {})", print(value->low), print(value->high));
  }
  figures.push_back(std::move(text));
}

constexpr double kWidth = 640;
constexpr double kHeight = 130;
constexpr double kTop = 16;
constexpr double kBottom = kTop + kHeight;

/// "<svg …>" with what a screen reader says of it.
std::string picture(std::string_view label) {
  return fmt::format(R"(<svg viewBox="0 0 {} {}" role=img aria-label="{}">)", kWidth, kBottom + 20,
                     xml_text(label));
}

std::string words_at(double x, double y, std::string_view words, std::string_view anchor = {}) {
  return fmt::format("<text x={:.0f} y={:.0f}{}>{}</text>", x, y,
                     anchor.empty() ? "" : fmt::format(" text-anchor={}", anchor), xml_text(words));
}

/// A filled area over `heights`, from `left` in equal steps; stretches that do not rise are one.
std::string area(std::string_view look, double left, double step,
                 const std::vector<double>& heights) {
  std::string path = fmt::format("M{:.0f} {:.0f}V{:.0f}", left, kBottom, heights.front());
  int drawn_y = static_cast<int>(heights.front() + 0.5);
  for (std::size_t i = 1; i < heights.size(); ++i) {
    const int y = static_cast<int>(heights[i] + 0.5);
    const bool last = i + 1 == heights.size();
    if (y == drawn_y && !last) continue;
    const double x = left + step * static_cast<double>(i);
    path += fmt::format("L{:.0f} {}", x, y);
    drawn_y = y;
  }
  return fmt::format("<path class={} d=\"{}V{:.0f}Z\"/>", look, path, kBottom);
}

std::string block(std::string_view look, double x, double top, double width) {
  return fmt::format("<rect class={} x={:.0f} y={:.0f} width={:.0f} height={:.0f} />", look, x, top,
                     width, kBottom - top);
}

std::string limit_line(double y, Bytes usable) {
  return fmt::format("<line class=limit x1=0 x2={} y1={:.0f} y2={:.0f} />", kWidth, y, y) +
         words_at(kWidth, y - 3, "usable " + format_binary(usable), "end");
}

/// Phases behind the step that the curve does not draw.
std::vector<const PhasePeak*> later_phases(const VramEstimate& vram) {
  std::vector<const PhasePeak*> later;
  for (const PhasePeak& phase : vram.phases) {
    if (phase.name == "optimizer step" || phase.name == "evaluation") later.push_back(&phase);
  }
  return later;
}

}  // namespace

std::string html_budget(const PlanReport& plan, bool pictures) {
  std::string text;
  if (plan.estimate.vram) text += vram_html(plan, pictures);
  if (plan.estimate.ram && plan.estimated) text += ram_html(plan, pictures);
  return text;
}

std::string html_time(const PlanReport& plan) {
  const Estimate& estimate = plan.estimate;
  const auto seconds = [](Seconds time) { return duration_text(time.value); };
  std::vector<std::string> figures;
  if (estimate.step_time) {
    add_figure(figures, "step", std::optional(estimate.step_time->total), seconds);
    if (estimate.step_time->basis != TimeBasis::stated) {
      figures.back() += fmt::format(", limited by {}", name_of(estimate.step_time->bottleneck));
    }
  }
  add_figure(figures, "throughput", estimate.throughput,
             [](PerSecond rate) { return significant(rate.value, 4) + " samples/s"; });
  add_figure(figures, "epoch", estimate.epoch_time, seconds);
  add_figure(figures, "run", estimate.run_time, seconds);
  add_figure(figures, "cost", estimate.cost,
             [](Money money) { return fmt::format("${:.2f}", money.dollars); });
  if (figures.empty()) return {};
  std::string text = "<ul class=figures>";
  for (const std::string& figure : figures) text += "<li>" + figure + "</li>";
  return text + "</ul>\n";
}

std::string html_timeline(const PlanReport& plan, std::span<const CurvePoint> curve) {
  if (!plan.estimate.vram || curve.size() < 2) return {};
  const VramEstimate& vram = *plan.estimate.vram;
  if (vram.lower_bound_only) return {};  // what is there before the step is open
  const auto highest =
      std::max_element(curve.begin(), curve.end(),
                       [](const CurvePoint& a, const CurvePoint& b) { return a.live < b.live; });
  // What was there before the step: weights, optimizer, context.
  const Bytes base = std::max(Bytes{}, vram.total.central - highest->live);
  const std::vector<const PhasePeak*> later = later_phases(vram);
  Bytes top = base + highest->live;
  for (const PhasePeak* phase : later) top = std::max(top, phase->total);
  if (const auto usable = usable_of(plan)) top = std::max(top, *usable);
  const double scale = std::max(1.0, kMargin * top.as_double());
  const auto y = [&](Bytes bytes) { return kTop + kHeight * (1 - bytes.as_double() / scale); };
  constexpr double kBlock = 118;
  const double right = kWidth - kBlock * static_cast<double>(later.size());
  const double step = right / static_cast<double>(curve.size() - 1);
  std::vector<double> heights;
  double backward = right;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    heights.push_back(y(base + curve[i].live));
    if (curve[i].phase == model::StepPhase::backward) {
      backward = std::min(backward, step * static_cast<double>(i));
    }
  }
  std::string text = picture(fmt::format("memory over one step, highest {} in {}",
                                         format_binary(base + highest->live),
                                         vram.phase.empty() ? "the step" : vram.phase));
  text += area("t3", 0, step, heights) + block("t7", 0, y(base), right);
  text += words_at(4, kBottom + 14, "forward");
  text += fmt::format("<line class=axis x1={0:.0f} x2={0:.0f} y1={1} y2={2} />", backward, kTop,
                      kBottom);
  text += words_at(std::min(backward + 4, right - 60), kBottom + 14, "backward");
  for (std::size_t i = 0; i < later.size(); ++i) {
    const double x = right + kBlock * static_cast<double>(i);
    text +=
        block(later[i]->name == "evaluation" ? "t9" : "t1", x + 3, y(later[i]->total), kBlock - 6);
    text += words_at(x + 3, kBottom + 14, later[i]->name);
  }
  if (const auto usable = usable_of(plan)) text += limit_line(y(*usable), *usable);
  return text + fmt::format(
                    "</svg>\n<p class=faint>memory over one step: what its tensors add to what is "
                    "there before it ({}, grey), then the peaks of what follows</p>\n",
                    format_binary(base));
}

std::string html_batches(const PlanReport& plan, std::span<const BatchPoint> batches) {
  if (batches.size() < 2) return {};
  Bytes top;
  double fastest = 0;
  for (const BatchPoint& point : batches) {
    top = std::max(top, point.needed.high);
    if (point.throughput) fastest = std::max(fastest, point.throughput->value);
  }
  const auto usable = usable_of(plan);
  if (usable) top = std::max(top, *usable);
  const double scale = std::max(1.0, kMargin * top.as_double());
  const double share = kWidth / static_cast<double>(batches.size());
  const auto y = [&](double part) { return kTop + kHeight * (1 - part); };
  std::string text = picture("memory and samples per second against the per-device batch");
  std::string pace;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const BatchPoint& point = batches[i];
    const double middle = share * (static_cast<double>(i) + 0.5);
    const double memory = y(point.needed.central.as_double() / scale);
    text += block("t3", middle - 0.3 * share, memory, 0.6 * share);
    text += fmt::format("<line class=axis x1={0:.0f} x2={0:.0f} y1={1:.0f} y2={2:.0f} />", middle,
                        y(point.needed.low.as_double() / scale),
                        y(point.needed.high.as_double() / scale));
    text += words_at(middle, kBottom + 14, with_thousands(point.batch), "middle");
    if (!point.throughput || !(fastest > 0)) continue;
    const double height = y(0.94 * point.throughput->value / fastest);
    pace += fmt::format("{}{:.0f} {:.0f}", pace.empty() ? "M" : "L", middle, height);
  }
  if (!pace.empty()) text += fmt::format("<path class=pace d=\"{}\"/>", pace);
  if (usable) text += limit_line(y(usable->as_double() / scale), *usable);
  text += "</svg>\n<p class=faint>VRAM needed by per-device batch (bars, with their intervals)";
  if (!pace.empty()) {
    text += fmt::format(" and samples per second of one device (line, up to {:.4g}/s)", fastest);
  }
  return text + "</p>\n";
}

}  // namespace gpulint
