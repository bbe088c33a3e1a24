#include "engine/symbols.h"

#include "plan/fact_table.h"

#include <utility>

namespace gpulint {
namespace {

std::vector<SymbolRow> all_rows() {
  std::vector<SymbolRow> rows = hardware_symbols();
  for (auto* group :
       {&budget_symbols, &memory_symbols, &training_symbols, &run_symbols, &learning_rate_symbols,
        &advice_symbols, &speedup_symbols, &adapter_symbols}) {
    std::vector<SymbolRow> more = group();
    std::move(more.begin(), more.end(), std::back_inserter(rows));
  }
  return rows;
}

expr::SymbolTable build_table() {
  expr::SymbolTable table;
  for (const FactRow& row : fact_table()) {
    table.add(expr::Symbol{std::string(row.name), type_of(row), std::string(row.meaning)});
  }
  for (const SymbolRow& row : symbol_rows()) {
    table.add(expr::Symbol{std::string(row.name), row.type, std::string(row.meaning)});
  }
  return table;
}

}  // namespace

const std::vector<SymbolRow>& symbol_rows() {
  static const std::vector<SymbolRow> rows = all_rows();
  return rows;
}

std::vector<std::string_view> facts_behind(std::uint32_t symbol) {
  const std::span<const FactRow> facts = fact_table();
  if (symbol < facts.size()) return {facts[symbol].name};
  return symbol_rows()[symbol - facts.size()].facts;
}

const expr::SymbolTable& Engine::symbols() {
  static const expr::SymbolTable table = build_table();
  return table;
}

}  // namespace gpulint
