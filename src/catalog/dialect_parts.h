#pragma once

// Parts of a dialect's file that files of other kinds have too. Internal to this room.

#include "catalog/dialect.h"
#include "catalog/strict_reader.h"

namespace gpulint {

/// `keys`, `defaults` and `references` of a file that says what flags mean: a dialect that adds to
/// a run. It has no id yet.
Dialect read_facts_of_flags(Complaints& complaints, StrictMapping& file);

/// One entry of `keys`: a fact, `{fact, transform, values, value_map, priority}`, or a list of
/// them.
void read_key(Complaints& complaints, std::string_view path, NodeId node,
              std::vector<KeyMapping>& keys);

/// Native words and what each means; `null` means nothing.
std::vector<ValueMapping> read_value_mappings(Complaints& complaints, NodeId node);

/// `catalogue`: the tables that keys are held against.
std::vector<CatalogueUse> read_catalogue_uses(Complaints& complaints, NodeId node);

/// What a dialect says of keys beside their meaning: `domains`, `accepts`, `catalogue`, `remarks`.
void read_key_checks(Complaints& complaints, StrictMapping& file, DialectMapping& mapping);

/// By rank, then id.
void put_in_order(std::vector<Dialect>& dialects);

}  // namespace gpulint
