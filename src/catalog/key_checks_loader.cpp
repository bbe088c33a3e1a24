#include "catalog/dialect_parts.h"

#include <string>
#include <utility>

namespace gpulint {
namespace {

std::vector<Domain> read_domains(Complaints& complaints, NodeId node) {
  constexpr int kGreatestDomain = 1'000'000;
  std::vector<Domain> domains;
  if (node == kNoNode) return domains;
  for (const auto& [fact, value] : read_entries(complaints, node)) {
    StrictMapping mapping(complaints, value);
    Domain& domain = domains.emplace_back();
    domain.fact = fact;
    const auto from = read_integer(complaints, mapping.need("from"), 0, kGreatestDomain);
    domain.from = static_cast<int>(from.value_or(0));
    domain.raises = read_word(complaints, mapping.need("raises"));
    mapping.refuse_unknown_keys();
  }
  return domains;
}

std::vector<AcceptedKeys> read_accepts(Complaints& complaints, NodeId node) {
  return read_mappings<AcceptedKeys>(complaints, node,
                                     [&](StrictMapping& mapping, NodeId, AcceptedKeys& each) {
                                       each.key = read_word(complaints, mapping.need("key"));
                                       each.value = read_word(complaints, mapping.need("value"));
                                       each.under = read_word(complaints, mapping.need("under"));
                                       each.keys = read_words(complaints, mapping.need("keys"));
                                       each.raises = read_word(complaints, mapping.need("raises"));
                                     });
}

std::vector<Remark> read_remarks(Complaints& complaints, NodeId node) {
  return read_mappings<Remark>(complaints, node, [&](StrictMapping& mapping, NodeId, Remark& each) {
    each.list = read_word(complaints, mapping.need("list"));
    each.key = read_word(complaints, mapping.need("key"));
    each.value = read_word(complaints, mapping.find("value"));
    if (const NodeId with = mapping.find("with"); with != kNoNode) {
      for (const auto& [key, value] : read_entries(complaints, with)) {
        each.with.push_back({std::string(key), std::string(read_word(complaints, value))});
      }
    }
    each.without = read_words(complaints, mapping.find("without"));
    each.code_names = read_words(complaints, mapping.find("code_names"));
    each.code_lacks = read_words(complaints, mapping.find("code_lacks"));
    each.says = read_text(complaints, mapping.need("says"));
    each.source = read_text(complaints, mapping.need("source"));
  });
}

}  // namespace

std::vector<CatalogueUse> read_catalogue_uses(Complaints& complaints, NodeId node) {
  return read_mappings<CatalogueUse>(
      complaints, node, [&](StrictMapping& mapping, NodeId, CatalogueUse& use) {
        const NodeId under = mapping.find("under");
        use.under = under == kNoNode ? std::vector<std::string>{""}
                                     : read_words(complaints, under, /*may_be_empty=*/true);
        use.tables = read_words(complaints, mapping.need("tables"));
        use.raises = read_word(complaints, mapping.find("raises"));
        use.with = read_word(complaints, mapping.find("with"));
        if (const NodeId checks = mapping.find("checks_values"); checks != kNoNode)
          use.checks_values = read_boolean(complaints, checks).value_or(true);
      });
}

void read_key_checks(Complaints& complaints, StrictMapping& file, DialectMapping& mapping) {
  mapping.domains = read_domains(complaints, file.find("domains"));
  mapping.accepts = read_accepts(complaints, file.find("accepts"));
  mapping.catalogue = read_catalogue_uses(complaints, file.find("catalogue"));
  mapping.remarks = read_remarks(complaints, file.find("remarks"));
}

}  // namespace gpulint
