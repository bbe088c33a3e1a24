#include "plan/absent_classes.h"

#include "code/dotted_names.h"

#include <algorithm>
#include <string>

namespace gpulint {
namespace {

std::string what_is_there(const DottedName& found) {
  std::string said = found.where.empty() ? "there is no such module" : found.where + " lacks it";
  if (!found.elsewhere.empty()) said += ", " + found.elsewhere + " has it";
  return said;
}

}  // namespace

void observe_absent_classes(const Run& run, const Catalog& catalog,
                            std::vector<Observation>& observations) {
  if (run.project() == nullptr) return;
  const Document& document = run.document();
  const std::vector<std::string>& keys = catalog.words("dotted-class-keys");
  for (NodeId id = 0; id < document.size(); ++id) {
    const NodeId key = document.node(id).key;
    if (key == kNoNode || document.kind(id) != NodeKind::scalar) continue;
    if (std::find(keys.begin(), keys.end(), document.scalar(key)) == keys.end()) continue;
    const std::string path(document.scalar(id));
    const DottedName found = look_up(*run.project(), run.root(), path);
    if (!found.is_absent) continue;
    Observation& item = observations.emplace_back();
    item.list = "absent_classes";
    item.span = document.span(id);
    item.pointer = document.pointer(id);
    item.name = std::string(document.scalar(key));
    item.value = path;
    item.detail = what_is_there(found);
  }
}

}  // namespace gpulint
