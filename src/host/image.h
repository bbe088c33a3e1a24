#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace gpulint::probe {

/// Red, green, blue and a byte that says nothing: Pillow, through which loaders decode, keeps
/// colours so.
inline constexpr std::size_t kPixelBytes = 4;

/// Rows from the top without gaps.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgbx;

  /// Keeps the memory it has: decoding image after image does not ask for new pages each time.
  void resize(int new_width, int new_height) {
    width = new_width;
    height = new_height;
    rgbx.resize(kPixelBytes * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  }
  std::uint8_t* row(int y) {
    const std::size_t pixels = static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
    return rgbx.data() + kPixelBytes * pixels;
  }
  const std::uint8_t* row(int y) const { return const_cast<Image*>(this)->row(y); }
};

/// Where a decoder puts the three bytes a pixel of row `y`, so that `spread_row` finds them.
inline std::uint8_t* packed_row(Image& image, int y) {
  return image.row(y) + static_cast<std::size_t>(image.width);
}
/// Spreads the three bytes a pixel at `packed_row` over the whole row.
void spread_row(Image& image, int y);
/// Three bytes a pixel, as encoders take them.
std::vector<std::uint8_t> packed(const Image& image);

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

/// `out`: the pixels of `crop`.
void cut(const Image& image, const Crop& crop, Image& out);

/// Resizes to `side` x `side`: linear weights as wide as a target pixel (antialiased), rows first,
/// in fixed point. `out` has side x side pixels afterwards.
void resize(const Image& image, int side, Image& out);

/// The last column first.
void mirror(const Image& image, Image& out);

/// What becomes of one image behind the other on its way to a tensor.
class TensorMaker {
 public:
  /// (value / 255 - mean) / deviation as three planes of fp32, 3 x height x width values, valid
  /// until the next call. In as many passes over memory as torchvision takes: packed pixels,
  /// planes, fp32, the division, a copy, the mean and the deviation.
  const std::vector<float>& make(const Image& image);

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint8_t> planes_;
  std::vector<float> numbers_;
  std::vector<float> shares_;
  std::vector<float> values_;
};

}  // namespace gpulint::probe
