#include "catalog/rule_head.h"

#include "catalog/byte_stream.h"
#include "catalog/strict_reader.h"

#include <algorithm>

namespace gpulint {
namespace {

/// Empty text is an empty expression: one that was not stated.
bool read_condition(ByteReader& in, expr::Expression& condition, Error& error) {
  const std::string_view text = in.text();
  if (text.empty()) return true;
  Result<expr::Expression> parsed = expr::Expression::parse(text);
  if (!parsed) {
    error = std::move(parsed).error();
    return false;
  }
  condition = std::move(parsed).value();
  return true;
}

}  // namespace

std::string write_rule_head(const Rule& rule) {
  ByteWriter out;
  out.number(rule.preview ? 1 : 0);
  out.text(rule.when.text());
  out.number(rule.severity.size());
  for (const SeverityLevel& level : rule.severity) {
    out.number(static_cast<std::uint64_t>(level.severity));
    out.text(level.when.text());
  }
  out.text(rule.for_each);
  out.number(rule.at.size());
  for (const std::string& fact : rule.at) out.text(fact);
  return std::move(out).take();
}

Result<Rule> read_rule_head(std::string_view path, std::string_view head) {
  ByteReader in(head);
  Rule rule;
  rule.id = stem_of(path);
  rule.family = folder_of(path);
  rule.trusted = true;
  rule.preview = in.number() != 0;
  Error error;
  if (!read_condition(in, rule.when, error)) return fail(std::move(error));
  for (std::uint64_t left = in.number(); left > 0 && !in.at_end(); --left) {
    SeverityLevel& level = rule.severity.emplace_back();
    level.severity = static_cast<Severity>(in.number());
    if (!read_condition(in, level.when, error)) return fail(std::move(error));
  }
  rule.for_each = in.text();
  for (std::uint64_t left = in.number(); left > 0 && !in.at_end(); --left) {
    rule.at.emplace_back(in.text());
  }
  return rule;
}

}  // namespace gpulint
