#pragma once

// The fake device's kernels and its clock, shared by the parts of the fake driver.

struct FakeLaunch {
  unsigned int columns = 1;
  unsigned int rows = 1;
  unsigned int layers = 1;
  unsigned int threads = 1;
  unsigned int shared_bytes = 0;
};

/// Seconds of the clock of the stream that something runs in; kernels and copies move it by what a
/// card of fixed rates takes. Streams work at the same time, each by a clock of its own.
extern double fake_now;
/// Something was begun that nobody has waited for yet.
extern bool fake_busy;

struct FakeStream {
  int device = 0;
  double now = 0;
};
/// While one lives, `fake_now` is the stream's clock.
class InStream {
 public:
  explicit InStream(void* stream);
  InStream(const InStream&) = delete;
  InStream& operator=(const InStream&) = delete;
  ~InStream();

 private:
  FakeStream* stream_;
  double before_ = 0;
};

extern "C" {
/// What another library makes the device of a stream do.
void fake_work(void* stream, double seconds);
double* fake_clock(void* stream);
}

/// The kernel of this name as a handle, or nullptr.
void* find_fake_kernel(const char* name);
/// A CUresult.
int run_fake_kernel(const void* kernel, const FakeLaunch& launch, void** arguments);
