#include "expr/expression.h"

#include <algorithm>

namespace gpulint::expr {
namespace {

/// Adds the newest entry's index to `order`, which is sorted by name.
template <class Entry>
std::uint32_t add_sorted(std::vector<Entry>& entries, std::vector<std::uint32_t>& order,
                         Entry entry) {
  const std::uint32_t index = static_cast<std::uint32_t>(entries.size());
  entries.push_back(std::move(entry));
  const auto place = std::upper_bound(
      order.begin(), order.end(), index,
      [&](std::uint32_t a, std::uint32_t b) { return entries[a].name < entries[b].name; });
  order.insert(place, index);
  return index;
}

template <class Entry>
std::optional<std::uint32_t> find_sorted(const std::vector<Entry>& entries,
                                         const std::vector<std::uint32_t>& order,
                                         std::string_view name) {
  const auto place =
      std::lower_bound(order.begin(), order.end(), name,
                       [&](std::uint32_t a, std::string_view b) { return entries[a].name < b; });
  if (place == order.end() || entries[*place].name != name) return std::nullopt;
  return *place;
}

}  // namespace

std::uint32_t SymbolTable::add(Symbol symbol) {
  return add_sorted(symbols_, symbol_order_, std::move(symbol));
}

std::uint32_t SymbolTable::add(Function function) {
  return add_sorted(functions_, function_order_, std::move(function));
}

std::optional<std::uint32_t> SymbolTable::find_symbol(std::string_view name) const {
  return find_sorted(symbols_, symbol_order_, name);
}

std::optional<std::uint32_t> SymbolTable::find_function(std::string_view name) const {
  return find_sorted(functions_, function_order_, name);
}

}  // namespace gpulint::expr
