#pragma once

// The fake device's kernels and its clock, shared by the parts of the fake driver.

struct FakeLaunch {
  unsigned int columns = 1;
  unsigned int rows = 1;
  unsigned int layers = 1;
  unsigned int threads = 1;
  unsigned int shared_bytes = 0;
};

/// Seconds of the device's clock; kernels and copies move it by what a card of fixed rates takes.
extern double fake_now;

/// The kernel of this name as a handle, or nullptr.
void* find_fake_kernel(const char* name);
/// A CUresult.
int run_fake_kernel(const void* kernel, const FakeLaunch& launch, void** arguments);
