#include "catalog/rule_head.h"

#include "base/byte_stream.h"
#include "base/text.h"
#include "catalog/strict_reader.h"

#include <algorithm>
#include <cstdint>

namespace gpulint {
std::string write_rule_head(const Rule& rule) {
  ByteWriter out;
  out.number(rule.preview ? 1 : 0);
  rule.when.store(out);
  out.number(rule.severity.size());
  for (const SeverityLevel& level : rule.severity) {
    out.number(static_cast<std::uint64_t>(level.severity));
    level.when.store(out);
  }
  out.text(rule.once);
  out.text(rule.for_each);
  out.number(rule.at.size());
  for (const std::string& fact : rule.at) out.text(fact);
  return std::move(out).take();
}

Rule read_rule_head(std::string_view path, std::string_view head) {
  ByteReader in(head);
  Rule rule;
  rule.id = stem_of(path);
  rule.family = folder_name_of(path);
  rule.trusted = true;
  rule.preview = in.number() != 0;
  rule.when = expr::Expression::restore(in);
  const std::uint64_t levels = in.number();
  rule.severity.reserve(std::min<std::uint64_t>(levels, in.left()));
  for (std::uint64_t left = levels; left > 0 && !in.at_end(); --left) {
    SeverityLevel& level = rule.severity.emplace_back();
    level.severity = static_cast<Severity>(in.number());
    level.when = expr::Expression::restore(in);
  }
  rule.once = in.text();
  rule.for_each = in.text();
  const std::uint64_t places = in.number();
  rule.at.reserve(std::min<std::uint64_t>(places, in.left()));
  for (std::uint64_t left = places; left > 0 && !in.at_end(); --left) {
    rule.at.emplace_back(in.text());
  }
  return rule;
}

}  // namespace gpulint
