#include "report/repeats.h"

#include "base/text.h"
#include "report/place.h"

#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace gpulint {
namespace {

/// The key a finding is about, wherever it stands.
std::string_view key_of(const Finding& finding) {
  const std::string_view pointer = finding.pointer;
  const std::size_t slash = pointer.rfind('/');
  return slash == std::string_view::npos ? pointer : pointer.substr(slash + 1);
}

}  // namespace

Repeats::Repeats(const LintResult& result, const Catalog& catalog) {
  std::unordered_map<std::string_view, std::string_view> once;
  for (const Rule& rule : catalog.rules()) {
    if (!rule.once.empty()) once.emplace(rule.id, rule.once);
  }
  using Said = std::tuple<std::string_view, Severity, std::string_view, std::string>;
  std::map<Said, const Finding*> first;
  for (const Finding& finding : result.findings) {
    const auto where = once.find(finding.rule);
    const bool is_by_words = where != once.end() && where->second == "message";
    if (where == once.end() || (finding.severity == Severity::error && !is_by_words)) continue;
    const std::string_view about =
        is_by_words ? std::string_view(finding.message) : key_of(finding);
    std::string folder;
    if (where->second == "folder") folder = parent_path(place_of(result, finding.span).path);
    const auto [said, is_new] = first.emplace(
        Said{finding.rule, finding.severity, about, std::move(folder)}, &finding);
    if (is_new) continue;
    repeats_.insert(&finding);
    others_[said->second].push_back(&finding);
  }
}

const std::vector<const Finding*>& Repeats::of(const Finding& finding) const {
  static const std::vector<const Finding*> kNone;
  const auto found = others_.find(&finding);
  return found == others_.end() ? kNone : found->second;
}

}  // namespace gpulint
