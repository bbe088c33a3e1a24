#include "report/why.h"

#include "base/text.h"
#include "plan/fact_table.h"
#include "report/place.h"
#include "source/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

class Explainer {
 public:
  Explainer(const FileReport& file, const LintResult& result, std::string_view asked, bool by_end)
      : file_(file), result_(result), asked_(asked), by_end_(by_end) {}

  std::vector<Why> explain() && {
    for (const PlanReport& report : file_.plans) {
      if (report.plan != nullptr) explain(report);
    }
    return std::move(found_);
  }

 private:
  bool is_asked(std::string_view key) const {
    if (key == asked_) return true;
    return by_end_ && key.size() > asked_.size() && key.ends_with(asked_) &&
           key[key.size() - asked_.size() - 1] == '.';
  }

  void explain(const PlanReport& report) {
    const Plan& plan = *report.plan;
    const std::size_t first = found_.size();
    for (const CodePath& path : plan.code_paths) add_path(plan, path);
    for (const FactRow& row : fact_table()) {
      const Provenance* from = provenance_of(plan.facts, row);
      if (from == nullptr || !(is_asked(dotted_key(from->pointer)) || row.name == asked_)) continue;
      const bool is_told = std::any_of(
          found_.begin() + static_cast<std::ptrdiff_t>(first), found_.end(),
          [&](const Why& each) { return each.fact == row.name && !each.stated.empty(); });
      if (!is_told) add_fact(plan, row, *from);
    }
    for (const Observation& item : plan.observations) {
      if (item.list == "unread_keys" && is_asked(item.name)) {
        found_.push_back({.key = item.name, .span = item.span, .value = item.value});
      }
    }
    for (const UnknownPart& part : plan.unknown_parts) {
      if (part.fact != asked_) continue;
      found_.push_back({.fact = part.fact,
                        .missing = part.what,
                        .missing_at = part.at,
                        .missing_code = part.code,
                        .is_undecided = part.decides});
    }
    for (std::size_t i = first; i < found_.size(); ++i) found_[i].phase = report.phase.value_or("");
  }

  void add_path(const Plan& plan, const CodePath& path) {
    Why why{.key = dotted_key(path.pointer), .span = path.span, .fact = path.fact};
    if (!is_asked(why.key) && path.fact != asked_) return;
    why.value = text_at(path.span);
    why.loaders = path.loaders;
    why.taken_at = path.taken_at;
    why.taken_by = path.taken_by;
    why.computed = path.computed;
    why.agreed = path.agreed;
    const FactRow* row = find_fact(path.fact);
    const Provenance* from = row == nullptr ? nullptr : provenance_of(plan.facts, *row);
    if (from != nullptr && from->span == path.span) {
      why.stated = display(plan.facts, *row);
      why.origin = name_of(from->origin);
    }
    found_.push_back(std::move(why));
  }

  void add_fact(const Plan& plan, const FactRow& row, const Provenance& from) {
    found_.push_back({.key = dotted_key(from.pointer),
                      .span = from.span,
                      .value = text_at(from.span),
                      .fact = std::string(row.name),
                      .stated = display(plan.facts, row),
                      .origin = name_of(from.origin),
                      .detail = from.detail});
  }

  std::string text_at(SourceSpan span) const {
    constexpr std::size_t kMostBytes = 60;
    if (span.file >= result_.sources.size()) return "";
    const std::string& text = result_.sources[span.file].text;
    if (span.end > text.size()) return "";
    const std::string_view value = std::string_view(text).substr(span.begin, span.end - span.begin);
    return std::string(value.substr(0, std::min(value.find('\n'), kMostBytes)));
  }

  const FileReport& file_;
  const LintResult& result_;
  std::string_view asked_;
  bool by_end_;
  std::vector<Why> found_;
};

/// "configs/a.yaml:4:10  solver.speed = 3e-4".
std::string head_of(const Why& why, const LintResult& result) {
  std::string text;
  if (why.span.known()) {
    const Place place = place_of(result, why.span);
    text = fmt::format("{}:{}:{}  ", escape_for_display(place.path), place.begin.line,
                       place.begin.column);
  }
  if (!why.key.empty()) return text + escape_for_display(why.key + " = " + why.value);
  return text + escape_for_display(why.value.empty() ? why.fact : why.value);
}

std::string way_of(const Why& why, const FileReport& file) {
  if (!why.missing.empty()) {
    const UnknownPart part{why.fact, why.missing, why.missing_at, why.missing_code,
                           why.is_undecided};
    return "  " + unknown_words(part) + "\n";
  }
  if (why.fact.empty()) {
    return "  not understood: the dialect does not have this key, and no script that loads the "
           "config passes it to a call gpulint knows\n";
  }
  std::string text;
  if (!why.loaders.empty()) {
    text += fmt::format("  loaded by {}\n", escape_for_display(join(why.loaders, ", ")));
  }
  if (!why.taken_by.empty()) {
    text += fmt::format("  taken by {}, {}\n", escape_for_display(why.taken_at),
                        escape_for_display(why.taken_by));
  } else if (why.origin == "stated" && why.detail.empty()) {
    text += fmt::format("  read as a key of the dialect {}\n", file.dialect);
  }
  if (!why.agreed)
    return text + fmt::format("  calls disagree on {}: it states nothing\n", why.fact);
  if (why.stated.empty()) return text + fmt::format("  another value of {} counts\n", why.fact);
  text += fmt::format("  {} = {}", why.fact, escape_for_display(why.stated));
  if (why.computed) text += ", worked out on the way";
  const bool tells_origin = why.taken_by.empty() && why.origin != "stated";
  if (tells_origin) text += ", " + why.origin;
  if (why.taken_by.empty() && !why.detail.empty()) text += ": " + escape_for_display(why.detail);
  return text + "\n";
}

}  // namespace

std::string unknown_words(const UnknownPart& part) {
  std::string text = part.what + " is not known";
  const std::string place = part.at.empty() ? "" : " (" + part.at + ")";
  if (part.code.empty()) {
    text += place;
  } else if (part.decides) {
    text += ": nobody can decide `" + part.code + "`" + place;
  } else {
    text += ": nobody could follow `" + part.code + "`" + place;
  }
  return escape_for_display(text);
}

std::vector<Why> why_of(const FileReport& file, const LintResult& result, std::string_view asked) {
  std::vector<Why> found = Explainer(file, result, asked, false).explain();
  return found.empty() ? Explainer(file, result, asked, true).explain() : found;
}

std::string why_text(const FileReport& file, const LintResult& result, std::string_view asked) {
  std::string text;
  for (const Why& why : why_of(file, result, asked)) {
    text += head_of(why, result);
    if (!why.phase.empty()) text += fmt::format(" (phase {})", escape_for_display(why.phase));
    text += "\n" + way_of(why, file);
  }
  return text;
}

}  // namespace gpulint
