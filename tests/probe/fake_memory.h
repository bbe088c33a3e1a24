#pragma once

// The fake device's memory, shared by the parts of the fake driver.

#include "probe/fake_driver.h"

#include <array>
#include <cstddef>

/// Whether a range lies in one live allocation or in mapped, accessible pages.
bool is_live(unsigned long long address, std::size_t bytes);
/// Bytes of a device that nobody holds, as the driver would say.
unsigned long long free_bytes(int device);
/// Contexts of each device.
extern std::array<int, gpulint::probe::kMostFakeDevices> contexts_of;
void set_current_fake_device(const void* context);
/// Compute processes beside this one.
unsigned int other_processes();
/// After what this process takes has changed: processes that name one FAKE_SHARED file share a
/// card.
void tell_others();
