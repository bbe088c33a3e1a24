#pragma once

#include "base/units.h"
#include "device/bench.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace gpulint::probe {

/// Bytes of a page-locked buffer: at most 256 MiB and a twentieth of what the host has available,
/// because it is taken from everybody. Empty: too little to time.
Bytes host_buffer_size(std::optional<Bytes> available);
/// Of this machine, or what control groups leave of it, which may be less.
std::optional<Bytes> available_host_memory();

/// Copies between host and device, in seconds of one copy by sample. Unset after a failure, which
/// the bench's calls then hold.
class HostCopies {
 public:
  /// `size`: of a page-locked buffer.
  HostCopies(Bench& bench, Bytes size);
  bool possible() const;
  Bytes pinned_size() const { return size_; }
  /// A quarter as much: plain memory is copied several times slower.
  Bytes pageable_size() const { return Bytes::of(size_.count() / 4); }
  std::optional<std::vector<double>> pinned_upload();
  std::optional<std::vector<double>> pinned_download();
  std::optional<std::vector<double>> pageable_upload();
  /// Of memory that is given out anew each time, by the host's clock: the first touch is part of
  /// it.
  std::optional<std::vector<double>> cold_upload();

 private:
  std::optional<std::vector<double>> upload_from(const void* host, Bytes size);
  std::optional<std::vector<double>> no_host_memory();
  bool upload(const DeviceBuffer& to, const void* from);

  Bench& bench_;
  Bytes size_;
};

}  // namespace gpulint::probe
