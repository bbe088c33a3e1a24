#pragma once

#include "catalog/catalog.h"
#include "source/document.h"

#include <string>
#include <vector>

namespace gpulint {

/// A class or function that a config names, with the mapping that states its arguments.
struct CalledTable {
  NodeId arguments = kNoNode;
  std::string target;  // "torch.optim.AdamW"
  const PackageKeys* package = nullptr;
  const KeyTable* table = nullptr;
  bool is_loose = false;  // programs take keys out, or add some, before they call it
};

/// Calls by the keys that the word lists `call-keys` and `loose-call-keys` name, and by the tags of
/// `call-tags`, of what the catalogue describes; in the order of the file.
std::vector<CalledTable> called_tables(const Document& document, const Catalog& catalog);

/// A mapping that names what it is an argument list of: not read into the class that stands in the
/// annotation, which the named one may derive from.
bool names_call(const Document& document, NodeId mapping, const Catalog& catalog);

}  // namespace gpulint
