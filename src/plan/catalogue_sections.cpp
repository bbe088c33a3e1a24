// Which mappings of a config are held against the catalogue.

#include "plan/catalogue_keys.h"

#include <string_view>

namespace gpulint {
namespace {

/// `with: key` asks for a key, `with: "!key"` for its absence.
bool applies(const CatalogueTerms& terms, const CatalogueUse& use) {
  if (use.with.empty() || terms.is_of_program) return !terms.is_of_program;
  const bool is_absent = use.with.starts_with('!');
  const std::string_view key = std::string_view(use.with).substr(is_absent ? 1 : 0);
  return terms.keys.has(path_below(terms.top.path, key)) != is_absent;
}

}  // namespace

std::vector<CatalogueSection> sections_of(const CatalogueTerms& terms, const CatalogueUse& use) {
  std::vector<CatalogueSection> sections;
  if (!applies(terms, use)) return sections;
  for (const std::string& under : use.under) {
    const NodeId node =
        under.empty() ? terms.top.node : terms.keys.find(path_below(terms.top.path, under)).value;
    if (node == kNoNode || terms.keys.document().kind(node) != NodeKind::mapping) continue;
    sections.push_back({under, node});
  }
  return sections;
}

}  // namespace gpulint
