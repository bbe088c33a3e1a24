#include "report/html_budget.h"

#include "report/conditions_text.h"
#include "report/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

constexpr std::size_t kColors = 10;  // classes t0 … t9 of html_style.h
/// Room to the right of the longest part, so that a limit at the end is seen.
constexpr double kMargin = 1.06;

double percent(Bytes part, double whole) {
  return std::clamp(100 * part.as_double() / whole, 0.0, 100.0);
}

/// What the full width of a picture stands for.
double scale_of(const PlanReport& plan, Bytes highest) {
  Bytes top = highest;
  if (plan.estimate.usable_vram) top = std::max(top, plan.estimate.usable_vram->low);
  return std::max(1.0, kMargin * top.as_double());
}

/// " of 22.1 GiB: fits"; "" without a target.
std::string verdict_html(const PlanReport& plan) {
  if (!plan.estimate.usable_vram) return {};
  return fmt::format(" of {}: <b>{}</b>", format_binary(plan.estimate.usable_vram->low),
                     name_of(plan.estimate.vram_verdict.fit));
}

std::string segments(const VramEstimate& vram, double scale) {
  std::string text;
  for (std::size_t i = 0; i < vram.terms.size(); ++i) {
    const Term& term = vram.terms[i];
    text += fmt::format(R"(<span class="t{}" style="width:{:.2f}%" title="{}: {}"></span>)",
                        i % kColors, percent(term.bytes, scale), xml_text(term.name),
                        format_binary(term.bytes));
  }
  return text;
}

std::string legend(const VramEstimate& vram) {
  std::string text = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < vram.terms.size(); ++i) {
    const Term& term = vram.terms[i];
    text += fmt::format("<li><i class=\"t{}\"></i>{} <b>{}</b>", i % kColors, xml_text(term.name),
                        format_binary(term.bytes));
    if (!term.arithmetic.empty()) {
      text += fmt::format(" <span class=\"faint\">{}</span>", xml_text(term.arithmetic));
    }
    text += "</li>";
  }
  return text + "</ul>\n";
}

std::string html_condition(const Condition& condition) {
  const Interval& needed = condition.needed;
  std::string text = fmt::format("<li>{}: <b>", xml_text(condition_words(condition)));
  text += condition.lower_bound_only
              ? fmt::format("from {}", format_binary(needed.low))
              : fmt::format("{} to {}", format_binary(needed.low), format_binary(needed.high));
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

}  // namespace

std::string html_budget(const PlanReport& plan) {
  if (!plan.estimate.vram) return {};
  const VramEstimate& vram = *plan.estimate.vram;
  const double scale = scale_of(plan, vram.total.high);
  std::string text = "<div class=\"bar\">" + segments(vram, scale);
  if (!vram.lower_bound_only) {
    const double low = percent(vram.total.low, scale);
    text += fmt::format(R"(<u style="left:{:.2f}%;width:{:.2f}%" title="{} to {}"></u>)", low,
                        percent(vram.total.high, scale) - low, format_binary(vram.total.low),
                        format_binary(vram.total.high));
  }
  if (plan.estimate.usable_vram && plan.gpu != nullptr) {
    text += fmt::format(R"(<i style="left:{:.2f}%"><b>{} {}</b></i>)",
                        percent(plan.estimate.usable_vram->low, scale), xml_text(plan.gpu->id),
                        format_binary(plan.estimate.usable_vram->low));
  }
  text += "</div>\n" + legend(vram);
  if (vram.lower_bound_only) {
    return text +
           fmt::format("<p>at least <b>{}</b>{}{}; what is left out is not known</p>\n",
                       format_binary(vram.needed.low),
                       vram.bounded_above ? " and at most " + format_binary(vram.needed.high) : "",
                       verdict_html(plan)) +
           html_conditions(plan);
  }
  return text +
         fmt::format("<p>needs <b>{}</b> ({} to {}){}; with cached blocks {}, highest in {}</p>\n",
                     format_binary(vram.needed.central), format_binary(vram.needed.low),
                     format_binary(vram.needed.high), verdict_html(plan),
                     format_binary(vram.total.central), xml_text(vram.phase)) +
         html_conditions(plan);
}

std::string html_timeline(const PlanReport& plan) {
  if (!plan.estimate.vram || plan.curve.size() < 2) return {};
  constexpr double kWidth = 640;
  constexpr double kHeight = 130;
  constexpr double kTop = 14;
  const auto highest =
      std::max_element(plan.curve.begin(), plan.curve.end(),
                       [](const CurvePoint& a, const CurvePoint& b) { return a.live < b.live; });
  // What was there before the step: weights, optimizer, context.
  const Bytes base = std::max(Bytes{}, plan.estimate.vram->total.central - highest->live);
  const double scale = scale_of(plan, base + highest->live);
  const auto y = [&](Bytes bytes) { return kTop + kHeight * (1 - bytes.as_double() / scale); };
  const double step = kWidth / static_cast<double>(plan.curve.size() - 1);
  std::string path = fmt::format("M0 {:.1f}", kTop + kHeight);
  double backward = kWidth;
  for (std::size_t i = 0; i < plan.curve.size(); ++i) {
    const double x = step * static_cast<double>(i);
    path += fmt::format("L{:.1f} {:.1f}", x, y(base + plan.curve[i].live));
    if (plan.curve[i].phase == model::StepPhase::backward) backward = std::min(backward, x);
  }
  path += fmt::format("L{} {:.1f}Z", kWidth, kTop + kHeight);
  std::string text = fmt::format(
      R"(<svg viewBox="0 0 {} {}" role="img" aria-label="memory over one step, highest {}">)",
      kWidth, kHeight + kTop + 18, format_binary(base + highest->live));
  text += fmt::format(R"(<path class="t0" d="{}"/>)", path);
  text += fmt::format(R"(<rect class="t7" x="0" y="{:.1f}" width="{}" height="{:.1f}"/>)", y(base),
                      kWidth, kTop + kHeight - y(base));
  text += fmt::format(
      R"(<line class="axis" x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}"/><text x="4" y="{3}">forward</text><text x="{4:.1f}" y="{3}">backward</text>)",
      backward, kTop, kTop + kHeight, kTop + kHeight + 14, std::min(backward + 4, kWidth - 60));
  if (plan.estimate.usable_vram) {
    const double limit = y(plan.estimate.usable_vram->low);
    text += fmt::format(
        R"(<line class="limit" x1="0" x2="{0}" y1="{1:.1f}" y2="{1:.1f}"/><text x="{0}" y="{2:.1f}" text-anchor="end">usable {3}</text>)",
        kWidth, limit, limit - 3, format_binary(plan.estimate.usable_vram->low));
  }
  return text + fmt::format(
                    "</svg>\n<p class=\"faint\">tensors alive over one step above what is there "
                    "before it ({})</p>\n",
                    format_binary(base));
}

}  // namespace gpulint
