#pragma once

// The fake device's memory, shared by the parts of the fake driver.

#include <cstddef>

/// Whether a range lies in one live allocation or in mapped, accessible pages.
bool is_live(unsigned long long address, std::size_t bytes);
/// Bytes that nobody holds, as the driver would say.
unsigned long long free_bytes();
/// Compute processes beside this one.
unsigned int other_processes();
/// After what this process takes has changed: processes that name one FAKE_SHARED file share a
/// card.
void tell_others();
