#pragma once

#include "catalog/catalog.h"
#include "plan/map_keys.h"
#include "plan/run.h"

#include <string>
#include <vector>

namespace gpulint {

/// What keys are held against the catalogue.
struct CatalogueTerms {
  const KeyIndex& keys;
  const Dialect& dialect;
  Scope top;
  const Catalog& catalog;
  const Run* run = nullptr;  // nullptr: nothing is known of the project
  bool is_program = false;   // what the words of a command mean to the one program that reads them
  /// Read by a program whose own tables are known: it takes keys that its framework gave up, and
  /// has defaults of its own.
  bool is_of_program = false;
};

/// A mapping of a config that is read into tables.
struct CatalogueSection {
  std::string under;  // its dotted path below the section root; "" = the root itself
  NodeId node = kNoNode;
};

/// Those that a use of the catalogue speaks of; none where it does not apply.
std::vector<CatalogueSection> sections_of(const CatalogueTerms& terms, const CatalogueUse& use);

/// Observes keys that the packages behind a dialect do not take, by `knowledge/catalogue/`:
/// `refused_keys`, `refused_values`, `misspelt_keys`, `outdated_keys`, `mixed_releases`. A key or a
/// value that the project's own code names is its own affair.
void observe_catalogue(const CatalogueTerms& terms, std::vector<Observation>& observations);

}  // namespace gpulint
