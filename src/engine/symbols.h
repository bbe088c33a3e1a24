#pragma once

#include "engine/subject_environment.h"
#include "expr/value.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// One name of the rule language that is not a fact: its type, what it means, the facts it is made
/// from (the places a finding can point at), and how it is read.
struct SymbolRow {
  std::string_view name;
  expr::Type type;
  std::string_view meaning;
  std::vector<std::string_view> facts;
  expr::Value (*read)(const SubjectEnvironment&);
};

/// All rows, in the order of their index behind the facts.
const std::vector<SymbolRow>& symbol_rows();
/// Names of the facts behind a symbol of the table (a fact stands for itself).
std::vector<std::string_view> facts_behind(std::uint32_t symbol);

/// The groups `symbol_rows` is put together from.
std::vector<SymbolRow> hardware_symbols();
std::vector<SymbolRow> budget_symbols();
std::vector<SymbolRow> training_symbols();
std::vector<SymbolRow> learning_rate_symbols();
std::vector<SymbolRow> advice_symbols();
std::vector<SymbolRow> speedup_symbols();

/// Workers per rank that leave each rank's own process a core; unknown without a core count.
std::optional<std::int64_t> workers_with_a_free_core(const SubjectEnvironment& environment);
std::vector<SymbolRow> run_symbols();
std::vector<SymbolRow> memory_symbols();
std::vector<SymbolRow> adapter_symbols();

inline expr::Type boolean_type() { return {expr::Kind::boolean}; }
inline expr::Type number_type(expr::Unit unit = expr::kNoUnit) {
  return {expr::Kind::number, unit};
}
inline expr::Type text_type(std::vector<std::string> choices = {}) {
  return {expr::Kind::string, expr::kNoUnit, expr::Kind::string, std::move(choices)};
}
/// A list of words.
inline expr::Type list_type() { return {expr::Kind::list, expr::kNoUnit, expr::Kind::string}; }

inline expr::Value known_or_unknown(const std::optional<Bytes>& bytes) {
  return bytes ? expr::Value(bytes->count()) : expr::Value();
}
inline expr::Value known_or_unknown(const std::optional<std::int64_t>& count) {
  return count ? expr::Value(*count) : expr::Value();
}
inline expr::Value known_or_unknown(const std::optional<int>& count) {
  return count ? expr::Value(static_cast<std::int64_t>(*count)) : expr::Value();
}
inline expr::Value known_or_unknown(const std::optional<double>& number) {
  return number ? expr::Value(*number) : expr::Value();
}
inline expr::Value known_or_unknown(const std::optional<PerSecond>& rate) {
  return rate ? expr::Value(rate->value) : expr::Value();
}
inline expr::Value known_or_unknown(const std::optional<bool>& flag) {
  return flag ? expr::Value(*flag) : expr::Value();
}

/// A budget is only judged against a target; without one no estimate is asked for, so that a run
/// over a repository without target hardware stays cheap.
bool has_gpu(const SubjectEnvironment& environment);

}  // namespace gpulint
