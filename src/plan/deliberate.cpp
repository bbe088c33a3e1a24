#include "plan/deliberate.h"

#include "base/text.h"
#include "plan/fact_table.h"
#include "source/reasons.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

/// The rest of the line behind a span.
std::string_view rest_of_line(const Document& document, const SourceSpan& span) {
  constexpr std::uint32_t kLongest =
      256;                   // bytes in which a comment has to begin and give its reason
  std::uint32_t length = 0;  // as much of it as the text has
  for (std::uint32_t step = kLongest; step > 0; step /= 2) {
    if (!document.text_at({span.file, span.end, span.end + length + step}).empty()) length += step;
  }
  const std::string_view text = document.text_at({span.file, span.end, span.end + length});
  return text.substr(0, text.find_first_of("\r\n"));
}

}  // namespace

std::string_view comment_behind(const Document& document, const SourceSpan& span) {
  const std::string_view rest = rest_of_line(document, span);
  const std::size_t comment = rest.find('#');
  return comment == std::string_view::npos ? std::string_view{} : rest.substr(comment);
}

namespace {

constexpr std::array<std::string_view, 5> kWithoutHalf = {"fp32", "noamp", "no_amp", "no-amp",
                                                          "full_precision"};

/// Lines above a value's own that are nothing but comments, the nearest first.
constexpr int kMostLinesAbove = 4;

bool has_reason_above(const Document& document, const SourceSpan& span) {
  constexpr std::uint32_t kFarthest = 512;  // bytes in which those lines have to begin
  const std::uint32_t begin = span.begin > kFarthest ? span.begin - kFarthest : 0;
  std::string_view before = document.text_at({span.file, begin, span.begin});
  for (int line = 0; line <= kMostLinesAbove; ++line) {
    const std::size_t end = before.rfind('\n');
    const std::string_view text = trim(end == before.npos ? before : before.substr(end + 1));
    if (line > 0 && !text.starts_with('#')) return false;
    if (line > 0 && gives_reason(text)) return true;
    if (end == before.npos) return false;
    before = before.substr(0, end);
  }
  return false;
}

bool has_reason(const Document& document, const Provenance& from) {
  if (from.origin != Origin::stated || !from.span.known()) return false;
  return gives_reason(comment_behind(document, from.span)) || has_reason_above(document, from.span);
}

bool is_set_otherwise(const std::vector<Plan>& plans, const Plan& plan, const FactRow& row) {
  const std::string own = canonical_text(plan.facts, row);
  return std::any_of(plans.begin(), plans.end(), [&](const Plan& other) {
    const Provenance* from = provenance_of(other.facts, row);
    return from != nullptr && from->origin == Origin::stated &&
           canonical_text(other.facts, row) != own;
  });
}

/// "--use-amp", "use_amp" and "amp" are one switch.
std::string bare_switch(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string plain = to_lower(name);
  std::replace(plain.begin(), plain.end(), '-', '_');
  for (const std::string_view before : {"use_", "enable_", "with_"}) {
    if (plain.starts_with(before)) return plain.substr(before.size());
  }
  return plain;
}

bool is_an_option(const Provenance& from, std::span<const std::string> options) {
  if (options.empty()) return false;
  const std::string key = bare_switch(from.pointer.substr(from.pointer.rfind('/') + 1));
  return std::any_of(options.begin(), options.end(),
                     [&](const std::string& option) { return bare_switch(option) == key; });
}

/// `configs/vit_fp32.yaml`, `runs/noamp/config.yaml`: the file is called after what it leaves off.
bool is_called_after(const TrainingPlan& facts, std::string_view path) {
  if (!facts.mixed_precision || facts.mixed_precision->value != "none") return false;
  const std::string folder(file_name(parent_path(path)));
  const std::string name = to_lower(folder + "/" + std::string(file_name(path)));
  return std::any_of(kWithoutHalf.begin(), kWithoutHalf.end(), [&](std::string_view word) {
    return name.find(word) != std::string::npos;
  });
}

}  // namespace

void note_deliberate(const Document& document, std::span<const SourceSpan> explained,
                     std::span<const std::string> options, std::vector<Plan>& plans) {
  const auto is_explained = [&](const Provenance& from) {
    return std::find(explained.begin(), explained.end(), from.span) != explained.end();
  };
  for (Plan& plan : plans) {
    for (const FactRow& row : fact_table()) {
      const Provenance* from = provenance_of(plan.facts, row);
      if (from == nullptr || from->origin != Origin::stated) continue;
      if (has_reason(document, *from) || is_explained(*from) ||
          is_set_otherwise(plans, plan, row) ||
          (row.name == "mixed_precision" &&
           (is_an_option(*from, options) || is_called_after(plan.facts, document.path())))) {
        plan.deliberate.emplace_back(row.name);
      }
    }
  }
}

}  // namespace gpulint
