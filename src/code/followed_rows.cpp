// Rows and items of tensors by an index.

#include "code/followed_lanes.h"
#include "code/followed_step.h"

#include <algorithm>
#include <utility>

namespace gpulint {

using namespace followed;
using python::kNone;
using python::TensorId;

double FollowedStep::number_of(const Statement& statement, std::string_view name) {
  for (const Argument& each : statement.arguments)
    if (each.name == name && each.numbers.size() == 1) return each.numbers.front()[0];
  return 0;
}

/// Whether the index of `gather` has known sizes, or is data of one item along the dimension that
/// is gathered: the classes of samples.
bool FollowedStep::takes_column(const Statement& statement,
                                std::span<const std::string> unknown) const {
  if (std::find(unknown.begin(), unknown.end(), "index") != unknown.end()) return false;
  const auto rank = static_cast<std::int64_t>(tensors_[statement.from].sizes.size());
  const auto place = [&](std::int64_t at) { return at < 0 ? at + rank : at; };
  const auto along = static_cast<std::int64_t>(number_of(statement, "dimension"));
  return std::all_of(
      statement.arguments.begin(), statement.arguments.end(), [&](const Argument& each) {
        if (each.name != "index" || each.tensors.size() != 1) return true;
        const Known& index = tensors_[each.tensors.front()];
        return !index.open || (index.column && place(*index.column) == place(along));
      });
}

/// Rows, or items of rows, by an index: as many as the index has.
bool FollowedStep::translate_rows(Statement& statement) {
  const Known& x = tensors_[statement.from];
  if (statement.name == "gather") {
    std::vector<Lanes> sizes;
    bool is_known = true;
    for (Argument& each : statement.arguments) {
      if (each.name != "index" || each.tensors.size() != 1) continue;
      sizes = tensors_[each.tensors.front()].sizes;
      each.name = "of";
      each.is_list = true;
    }
    if (sizes.empty()) {  // of one item (followed_inputs.cpp)
      const auto at = static_cast<std::int64_t>(number_of(statement, "dimension"));
      const auto rank = static_cast<std::int64_t>(x.sizes.size());
      const std::int64_t place = at < 0 ? at + rank : at;
      is_known = place >= 0 && place < rank;
      sizes = x.sizes;
      if (is_known) sizes[static_cast<std::size_t>(place)] = all(1);
    }
    const bool has_index = std::any_of(statement.arguments.begin(), statement.arguments.end(),
                                       [](const Argument& each) { return each.name == "of"; });
    std::erase_if(statement.arguments, [](const Argument& each) { return each.name != "of"; });
    statement.arguments.push_back({.name = "sizes", .numbers = std::move(sizes), .is_list = true});
    if (has_index)
      statement.arguments.push_back({.name = "keeps", .numbers = {all(1)}, .is_list = true});
    statement.name = "custom";
    return is_known;
  }
  if (statement.name == "pick") {
    TensorId index = kNone;
    double dimension = 0;
    for (const Argument& each : statement.arguments) {
      if (each.name == "index" && !each.tensors.empty()) index = each.tensors.front();
      if (each.name == "dimension" && !each.numbers.empty()) dimension = each.numbers.front()[0];
    }
    if (index == kNone) return false;
    const auto at = static_cast<std::size_t>(dimension);
    if (at >= x.sizes.size()) return false;
    std::vector<Lanes> sizes = x.sizes;
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(at));
    const std::vector<Lanes>& of_index = tensors_[index].sizes;
    sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(at), of_index.begin(), of_index.end());
    statement.name = "custom";
    statement.arguments = {{.name = "sizes", .numbers = std::move(sizes), .is_list = true},
                           {.name = "of", .is_list = true, .tensors = {index}},
                           {.name = "keeps", .numbers = {all(1)}, .is_list = true}};
  }
  return true;
}

}  // namespace gpulint
