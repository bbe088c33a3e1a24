#pragma once

// What nearly every start reads whole, as the archive keeps it: reading members in their order is
// several times faster than looking keys up in a tree. What the keys of a dialect mean is read for
// the one dialect a file is written in.

#include "catalog/consumers.h"
#include "catalog/dialect.h"
#include "catalog/knowledge.h"
#include "catalog/network_form.h"

#include <concepts>
#include <string>
#include <string_view>

namespace gpulint {

std::string store_dialect(const Dialect& dialect);

/// The dialect, its mapping read from `bytes` when first asked for; they must outlive it.
Dialect restore_dialect(std::string_view bytes);

/// One key of a dialect.
std::string store_key(const KeyMapping& key);
KeyMapping restore_key(std::string_view bytes);

/// Files of these types are restored; those of others are parsed when they are asked for.
template <class T>
concept IsStored =
    std::same_as<T, Consumers> || std::same_as<T, NetworkForm> || std::same_as<T, WordList>;

template <IsStored T>
std::string store(const T& value);
template <IsStored T>
T restore(std::string_view bytes);

}  // namespace gpulint
