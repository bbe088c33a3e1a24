#include "plan/deliberate.h"

#include "base/text.h"
#include "code/code_base.h"
#include "plan/fact_table.h"
#include "plan/run.h"
#include "source/reasons.h"

#include <algorithm>
#include <array>
#include <span>
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

bool names_word(std::string_view comment, std::string_view value) {
  const auto is_part = [](char c) { return is_name_part(c) || c == '.'; };
  for (std::size_t at = comment.find(value); at != comment.npos; at = comment.find(value, at + 1)) {
    const std::size_t end = at + value.size();
    const bool begins = at == 0 || !is_part(comment[at - 1]);
    if (begins && (end == comment.size() || !is_part(comment[end]))) return true;
  }
  return false;
}

/// "# 0 is safe here": who writes of the value, in whatever language, has chosen it.
bool speaks_of(std::string_view comment, std::string_view value) {
  return gives_reason(comment) || (!value.empty() && names_word(comment, value));
}

bool has_reason(const Document& document, const Provenance& from) {
  if (from.origin != Origin::stated || !from.span.known()) return false;
  return speaks_of(comment_behind(document, from.span), document.text_at(from.span)) ||
         has_reason_above(document, from.span);
}

/// Something that is off, and that those who read a config ask about.
bool is_off(const TrainingPlan& facts, std::string_view fact) {
  if (fact == "num_workers") return facts.num_workers->value == 0;
  if (fact == "pin_memory") return !facts.pin_memory->value;
  return fact == "mixed_precision" && facts.mixed_precision->value == "none";
}

/// A file beside this one gives a reason for the same, or several turn on the precision that is off
/// in several: who has done that knows the switch.
bool is_known_to_sister(const Document& document, const Provenance& from, std::string_view fact,
                        CodeBase* project) {
  const std::string_view key = std::string_view(from.pointer).substr(from.pointer.rfind('/') + 1);
  if (project == nullptr || !from.span.known() || key.empty()) return false;
  const auto bare = [](std::string_view text) {
    std::string value = to_lower(trim(text));
    std::erase_if(value, [](char c) { return c == '"' || c == '\'' || c == ','; });
    return value;
  };
  const std::string own = bare(document.text_at(from.span));
  const std::vector<std::string>& lines = project->sister_lines(std::string(document.path()), key);
  std::size_t same = 0;
  std::size_t others = 0;
  for (const std::string& line : lines) {
    const std::size_t comment = std::min(line.find('#'), line.size());
    const std::string value = bare(std::string_view(line).substr(0, comment));
    if (value == own && speaks_of(std::string_view(line).substr(comment), own)) return true;
    same += value == own ? 1 : 0;
    others += value != own && !value.empty() ? 1 : 0;
  }
  // One of either may have been forgotten.
  constexpr std::size_t kSeveral = 2;
  return fact == "mixed_precision" && same >= kSeveral && others >= kSeveral;
}

/// "Initial 16-mixed attempt produced non-finite losses": a line of the file, whatever it is for,
/// says why the precision is what it is.
bool tells_of_precision(const Document& document) {
  constexpr std::array<std::string_view, 7> kWords = {"fp32", "mixed", "fp16",     "bf16",
                                                      "amp",  "half",  "autocast"};
  for (const std::string_view line : split(document.text(), '\n')) {
    const std::string words = to_lower(line);
    const bool is_meant = std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
      return names_word(words, word);
    });
    if (is_meant && gives_reason(words)) return true;
  }
  return false;
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

void note_deliberate(const Document& document, const Run* run, std::vector<Plan>& plans) {
  const CodeReading no_code;
  const CodeReading& code = run != nullptr ? run->code() : no_code;
  CodeBase* project = run != nullptr ? run->project() : nullptr;
  const auto is_explained = [&](const Provenance& from) {
    return std::find(code.explained.begin(), code.explained.end(), from.span) !=
           code.explained.end();
  };
  for (Plan& plan : plans) {
    for (const FactRow& row : fact_table()) {
      const Provenance* from = provenance_of(plan.facts, row);
      if (from == nullptr || from->origin != Origin::stated) continue;
      if (has_reason(document, *from) || is_explained(*from) ||
          is_set_otherwise(plans, plan, row) ||
          (is_off(plan.facts, row.name) &&
           is_known_to_sister(document, *from, row.name, project)) ||
          (row.name == "mixed_precision" &&
           (is_an_option(*from, code.options) || is_called_after(plan.facts, document.path()) ||
            (is_off(plan.facts, row.name) && tells_of_precision(document))))) {
        plan.deliberate.emplace_back(row.name);
      }
    }
  }
}

}  // namespace gpulint
