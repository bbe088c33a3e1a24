// The budget of one config as a picture for a README or a pull request: text and shapes alone,
// light or dark by the reader's setting.

#include "base/text.h"
#include "lint/lint.h"
#include "report/duration.h"
#include "report/format.h"
#include "report/machine.h"
#include "report/style.h"
#include "report/term_colors.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gpulint {
namespace {

constexpr double kPictureWidth = 720;
constexpr double kEdge = 16;
constexpr double kInner = kPictureWidth - 2 * kEdge;
constexpr double kBarHeight = 26;
constexpr double kLine = 20;
/// Room to the right of the longest part, so that a limit at the end is seen.
constexpr double kRoom = 1.06;
/// A longer path loses its beginning.
constexpr std::size_t kLongestPath = 70;

constexpr std::string_view kLook =
    "<style>"
    "svg{--paper:#fff;--ink:#1a1d21;--faint:#5d6670;--line:#d8dde3;--panel:#f5f7f9;"
    "--good:#1a7f45;--thin:#8a5a00;--bad:#b3261e}"
    "@media(prefers-color-scheme:dark){svg{--paper:#15181c;--ink:#e6e9ed;--faint:#9aa4af;"
    "--line:#343b44;--panel:#1e232a;--good:#6fd49a;--thin:#f0c060;--bad:#ff8f86}}"
    "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:var(--ink)}"
    ".name{font:600 14px ui-monospace,Menlo,Consolas,monospace}.faint{fill:var(--faint)}"
    ".fits{fill:var(--good);font-weight:600}.thin{fill:var(--thin);font-weight:600}"
    ".over{fill:var(--bad);font-weight:600}.unknown{fill:var(--faint);font-weight:600}"
    ".limit{stroke:var(--ink);stroke-width:2}.reach{fill:none;stroke:var(--faint);stroke-width:2}"
    "</style>";

std::string_view class_of(Fit fit) {
  constexpr std::string_view kClasses[] = {"unknown", "fits", "thin", "over"};
  return kClasses[static_cast<std::size_t>(fit)];
}

using Printer = std::string (*)(Bytes);

struct Memory {
  std::string_view name;
  const std::vector<Term>& terms;
  Interval needed;
  Interval total;
  bool lower_bound_only = false;
  std::optional<Bytes> capacity;
  std::string owner;  // of the capacity
  Fit fit = Fit::unknown;
  Printer print = format_binary;
};

class Picture {
 public:
  void run(const FileReport& file, const PlanReport& plan) {
    heading(file, plan);
    const Estimate& estimate = plan.estimate;
    if (estimate.vram) {
      memory({.name = "VRAM",
              .terms = estimate.vram->terms,
              .needed = estimate.vram->needed,
              .total = estimate.vram->total,
              .lower_bound_only = estimate.vram->lower_bound_only,
              .capacity =
                  estimate.usable_vram ? std::optional(estimate.usable_vram->low) : std::nullopt,
              .owner = plan.gpu == nullptr ? "" : plan.gpu->id,
              .fit = estimate.vram_verdict.fit});
    } else {
      line("faint", "VRAM: unknown");
    }
    if (estimate.ram) {
      memory({.name = "host RAM",
              .terms = estimate.ram->terms,
              .needed = estimate.ram->needed,
              .total = estimate.ram->total,
              .capacity = estimate.available_ram,
              .owner = plan.host == nullptr ? "" : plan.host->id,
              .fit = estimate.ram_verdict.fit,
              .print = format_decimal});
    }
    figures(estimate);
    y_ += 10;
  }

  std::string finish(const std::string& title) const {
    const double height = y_ + 4;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" aria-labelledby=\"title\">\n"
               "<title id=\"title\">{2}</title>\n{3}\n"
               "<rect width=\"{0}\" height=\"{1:.0f}\" rx=\"6\" style=\"fill:var(--paper);"
               "stroke:var(--line)\"/>\n",
               kPictureWidth, height, xml_text(title), kLook) +
           body_ + "</svg>\n";
  }

 private:
  void text(std::string_view look, double x, double y, std::string_view words,
            std::string_view anchor = "start") {
    body_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", look, x, y,
                         anchor == "start" ? "" : fmt::format(" text-anchor=\"{}\"", anchor),
                         xml_text(words));
  }

  void line(std::string_view look, std::string_view words) {
    y_ += kLine;
    text(look, kEdge, y_, words);
  }

  void heading(const FileReport& file, const PlanReport& plan) {
    y_ += 26;
    std::string name = file.path;
    if (name.size() > kLongestPath) name = "\u2026" + name.substr(name.size() - kLongestPath);
    if (plan.phase) name += " (" + *plan.phase + ")";
    text("name", kEdge, y_, name);
  }

  void memory(const Memory& memory) {
    y_ += kLine + 4;
    std::string words(memory.name);
    words += memory.lower_bound_only
                 ? fmt::format(": at least {}, the rest is open", memory.print(memory.needed.low))
                 : fmt::format(": {} ({} to {})", memory.print(memory.needed.central),
                               memory.print(memory.needed.low), memory.print(memory.needed.high));
    if (memory.capacity) {
      words += " of " + memory.print(*memory.capacity);
      if (!memory.owner.empty()) words += " on " + memory.owner;
    }
    text("", kEdge, y_, words);
    if (memory.capacity) {
      text(class_of(memory.fit), kPictureWidth - kEdge, y_, name_of(memory.fit), "end");
    }
    y_ += 8;
    bar(memory);
    legend(memory);
  }

  void bar(const Memory& memory) {
    Bytes sum;
    for (const Term& term : memory.terms) sum = sum + term.bytes;
    Bytes top = std::max(sum, memory.lower_bound_only ? memory.needed.low : memory.total.high);
    if (memory.capacity) top = std::max(top, *memory.capacity);
    const double scale = kInner / std::max(1.0, kRoom * top.as_double());
    body_ += fmt::format(
        "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" style=\"fill:var(--panel);"
        "stroke:var(--line)\"/>\n",
        kEdge, y_, kInner, kBarHeight);
    double x = kEdge;
    for (const Term& term : memory.terms) {
      const double width = term.bytes.as_double() * scale;
      if (width >= 0.3) {
        body_ += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"{}/>\n", x,
            y_, width, kBarHeight, kTermColors[color_of_term(term.name)],
            memory.lower_bound_only ? " opacity=\"0.45\"" : "");
      }
      x += width;
    }
    y_ += kBarHeight;
    if (!memory.lower_bound_only && memory.total.low != memory.total.high) {
      body_ += fmt::format("<path class=\"reach\" d=\"M{0:.1f} {2:.1f}v4H{1:.1f}v-4\"/>\n",
                           kEdge + memory.total.low.as_double() * scale,
                           kEdge + memory.total.high.as_double() * scale, y_ + 1);
    }
    if (memory.capacity) {
      body_ += fmt::format(
          "<line class=\"limit\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
          kEdge + memory.capacity->as_double() * scale, y_ - kBarHeight - 4, y_ + 6);
    }
    y_ += 8;
  }

  /// Two columns; terms too small to be seen in the bar are left out.
  void legend(const Memory& memory) {
    Bytes sum;
    for (const Term& term : memory.terms) sum = sum + term.bytes;
    std::size_t shown = 0;
    for (const Term& term : memory.terms) {
      if (term.bytes.as_double() < 0.002 * sum.as_double()) continue;
      const bool left = shown++ % 2 == 0;
      if (left) y_ += kLine;
      const double x = left ? kEdge : kPictureWidth / 2 + 8;
      body_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"11\" height=\"11\" rx=\"2\" fill=\"{}\"/>\n", x,
          y_ - 10, kTermColors[color_of_term(term.name)]);
      text("", x + 18, y_, term.name);
      text("faint", x + kInner / 2 - 16, y_, memory.print(term.bytes), "end");
    }
    y_ += 4;
  }

  void figures(const Estimate& estimate) {
    std::vector<std::string> words;
    if (estimate.step_time) {
      words.push_back("step " + duration_text(estimate.step_time->total.central.value));
    }
    if (estimate.throughput) {
      words.push_back(significant(estimate.throughput->central.value, 4) + " samples/s");
    }
    if (estimate.run_time) {
      words.push_back("run " + duration_text(estimate.run_time->central.value));
    }
    if (estimate.cost) words.push_back(fmt::format("${:.2f}", estimate.cost->central.dollars));
    if (!words.empty()) line("faint", "predicted: " + join(words, " \u00b7 "));
  }

  std::string body_;
  double y_ = 0;
};

std::string svg_estimate(std::span<const FileReport> files, const ReportOptions&) {
  Picture picture;
  std::string title = "memory budget";
  for (const FileReport& file : files) {
    for (const PlanReport& plan : file.plans) {
      if (&file == &files.front() && &plan == &file.plans.front()) title += " of " + file.path;
      picture.run(file, plan);
    }
  }
  return picture.finish(title);
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat svg{
    .id = "svg",
    .readers = "people: the memory budget as a picture for a README or a pull request",
    .file_name = "gpulint.svg",
    .syntax = Syntax::markup,
    .estimate = svg_estimate,
};

}  // namespace gpulint::formats
