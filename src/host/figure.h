#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::probe {

/// What is timed on the host. Bytes of a copy are those copied: each is read once and written once.
enum class FigureKind : std::uint8_t {
  memory_read,
  memory_write,
  memory_copy,
  page_lock,  // bytes locked a second
  pinned_allocation,
  disk_cold,
  disk_warm,
  small_files_cold,
  small_files_warm,
  jpeg_decode,
  png_decode,
  augment,         // crop, resize, flip and normalise of a decoded image
  image_pipeline,  // of a file: read, decode, augment, put into a batch
  byte_pairs,
  python_start,
  torch_import,
  python_fork,
};
inline constexpr std::size_t kFigureKinds = 17;

/// The median of repeated measurements.
struct Figure {
  FigureKind kind = FigureKind::memory_read;
  double value = 0;  // in the unit of its kind
  double noise = 0;  // what the samples scatter and drift over, same unit
  int samples = 0;
  int workers = 1;          // that did it together; the value is of all of them
  std::string source = {};  // "500 x 375 pixels, generated"; "" = nothing to say
  bool own_data = false;    // of what the data path holds
  friend bool operator==(const Figure&, const Figure&) = default;
};

std::string_view name_of(FigureKind kind);
/// "B/s", "1/s" or "s".
std::string_view unit_of(FigureKind kind);
std::optional<FigureKind> figure_kind(std::string_view name);
/// "12.4 GB/s", "213 images/s", "18.2 ms"
std::string words_of(FigureKind kind, double value);

/// `samples`: values in the order they were measured, at least one.
Figure figure_of(FigureKind kind, const std::vector<double>& samples, int workers,
                 std::string source);

}  // namespace gpulint::probe
