#include "plan/divided_batch.h"

#include "base/text.h"
#include "plan/fact_table.h"
#include "plan/training_plan.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

/// In front of a name and what it is a member of: `n // args.batch_size // ranks` divides `n`.
bool is_operand(std::string_view before) {
  while (!before.empty() && (is_name_part(before.back()) || before.back() == '.'))
    before.remove_suffix(1);
  before = trim(before);
  return !before.empty() && std::string_view("/*%").find(before.back()) != std::string_view::npos;
}

/// Names of a number of ranks behind `name //` or `name /` in Python code, comments aside.
bool is_divided(std::string_view code, std::string_view name,
                const std::vector<std::string>& counts) {
  for (std::size_t at = code.find(name); at != code.npos; at = code.find(name, at + 1)) {
    const bool begins = at == 0 || !is_name_part(code[at - 1]);
    const std::size_t line = code.rfind('\n', at) + 1;
    const std::string_view before = code.substr(line, at - line);
    if (!begins || before.find('#') != before.npos || is_operand(before)) continue;
    std::string_view rest = code.substr(at + name.size());
    rest = trim(rest.substr(0, rest.find('\n')));
    if (!rest.starts_with('/') || rest.starts_with("/=")) continue;
    rest.remove_prefix(rest.starts_with("//") ? 2 : 1);
    rest = rest.substr(0, rest.find_first_of(",;#"));
    if (has_any(to_lower(rest), counts)) return true;
  }
  return false;
}

}  // namespace

void read_divided_batch(const Run& run, const Catalog& catalog, Mapping& mapping) {
  const Maybe<std::int64_t>& batch = mapping.facts.per_device_batch_size;
  if (!batch || batch->from.origin != Origin::stated || run.project() == nullptr) return;
  if (mapping.facts.global_batch_size || !batch->from.detail.empty()) return;
  std::string name(file_name(batch->from.pointer));
  std::replace(name.begin(), name.end(), '-', '_');
  const std::vector<std::string>& counts = catalog.words("rank-counts");
  const auto divides = [&](const std::string& path) {
    const python::Module* module = run.project()->module(run.root(), path);
    return module != nullptr && is_divided(module->text, name, counts);
  };
  const std::vector<std::string>& scripts = run.code().scripts;
  if (name.empty() || std::none_of(scripts.begin(), scripts.end(), divides)) return;
  const auto state_of = [&](const FactRow& row) -> FactState& {
    return mapping.states[static_cast<std::size_t>(&row - fact_table().data())];
  };
  const FactRow& own = *find_fact("per_device_batch_size");
  const FactRow& all = *find_fact("global_batch_size");
  const Provenance from = batch->from;
  const std::string value = canonical_text(mapping.facts, own);
  clear_fact(mapping.facts, own);
  state_of(own) = FactState::untouched;
  if (set_fact(mapping.facts, all, value, from)) state_of(all) = FactState::set;
}

}  // namespace gpulint
