#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace gpulint::probe {

/// Three bytes a pixel (RGB), rows from the top without gaps.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;

  /// Keeps the memory it has: decoding image after image does not ask for new pages each time.
  void resize(int new_width, int new_height) {
    width = new_width;
    height = new_height;
    rgb.resize(std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  }
};

/// What is decoded may be no larger.
inline constexpr int kMostSide = 16384;
inline constexpr std::int64_t kMostPixels = 64'000'000;
inline bool may_be_decoded(std::int64_t width, std::int64_t height) {
  return width >= 1 && height >= 1 && width <= kMostSide && height <= kMostSide &&
         width * height <= kMostPixels;
}

/// Smooth noise of several sizes with a little fine noise: it compresses about as photographs do.
Image generated_photograph(int width, int height, unsigned seed);

/// A part of an image, in pixels.
struct Crop {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
};
/// 8 to 100 % of the area, sides 3:4 to 4:3: the usual random resized crop of training.
Crop random_crop(const Image& image, std::minstd_rand& random);

/// Resizes a part to `side` x `side`: linear weights as wide as a target pixel (antialiased), rows
/// first, in fixed point. `out` has side x side pixels afterwards.
void resize_crop(const Image& image, const Crop& crop, int side, Image& out);

/// (value / 255 - mean) / deviation as three planes of fp32; `flip` mirrors rows.
/// `out`: 3 x side x side values.
void normalise(const Image& square, bool flip, float* out);

}  // namespace gpulint::probe
