// The usual augmentation of an image classifier, written out plainly: loaders call libraries for it
// (Pillow, torchvision) whose loops are of this kind, and take as many passes over memory. It is
// our own code, and the report says so.

#include "host/image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace gpulint::probe {
namespace {

constexpr int kWeightBits = 15;  // of fixed-point weights: sums of 8-bit values fit 32 bits

/// Which source pixels make one target pixel.
struct Taps {
  int first = 0;
  std::vector<std::int32_t> weights;
};

/// `size` target pixels from `length` source pixels.
std::vector<Taps> taps_of(int length, int size) {
  std::vector<Taps> all;
  const double scale = static_cast<double>(length) / size;
  const double reach = std::max(scale, 1.0);
  for (int target = 0; target < size; ++target) {
    const double centre = (target + 0.5) * scale;
    const int low = std::max(0, static_cast<int>(centre - reach + 0.5));
    const int high = std::min(length, static_cast<int>(centre + reach + 0.5));
    std::vector<double> shares;
    double sum = 0;
    for (int source = low; source < high; ++source) {
      shares.push_back(std::max(0.0, 1 - std::abs((source + 0.5 - centre) / reach)));
      sum += shares.back();
    }
    Taps taps{.first = low, .weights = {}};
    for (const double share : shares) {
      taps.weights.push_back(
          static_cast<std::int32_t>(std::lround((1 << kWeightBits) * share / sum)));
    }
    all.push_back(std::move(taps));
  }
  return all;
}

std::uint8_t pixel_of(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

/// `step`: bytes from one source pixel to the next.
void weigh(const std::uint8_t* from, std::size_t step, const Taps& taps, std::uint8_t* to) {
  std::array<std::int32_t, 3> sums{};
  sums.fill(1 << (kWeightBits - 1));
  for (const std::int32_t weight : taps.weights) {
    for (std::size_t c = 0; c < 3; ++c) sums[c] += weight * from[c];
    from += step;
  }
  for (std::size_t c = 0; c < 3; ++c) to[c] = pixel_of(sums[c]);
}

std::size_t offset_of(int x) { return kPixelBytes * static_cast<std::size_t>(x); }

void pack(const Image& image, std::uint8_t* to) {
  for (std::size_t i = 0; i < image.rgbx.size(); i += kPixelBytes, to += 3) {
    std::memcpy(to, &image.rgbx[i], 3);
  }
}

/// A grid of random values, read with linear weights between them.
class Noise {
 public:
  Noise(int cells, std::minstd_rand& random) : cells_(cells) {
    std::uniform_real_distribution<float> value(-1, 1);
    const auto side = static_cast<std::size_t>(cells + 1);
    for (std::size_t i = 0; i < side * side; ++i) values_.push_back(value(random));
  }
  /// `x`, `y`: 0 to 1.
  float at(float x, float y) const {
    const float column = x * static_cast<float>(cells_);
    const float row = y * static_cast<float>(cells_);
    const int i = std::min(static_cast<int>(column), cells_ - 1);
    const int j = std::min(static_cast<int>(row), cells_ - 1);
    const float u = column - static_cast<float>(i);
    const float v = row - static_cast<float>(j);
    return (1 - v) * ((1 - u) * grid(i, j) + u * grid(i + 1, j)) +
           v * ((1 - u) * grid(i, j + 1) + u * grid(i + 1, j + 1));
  }

 private:
  float grid(int i, int j) const {
    return values_[static_cast<std::size_t>(j) * static_cast<std::size_t>(cells_ + 1) +
                   static_cast<std::size_t>(i)];
  }
  int cells_;
  std::vector<float> values_;
};

}  // namespace

Image generated_photograph(int width, int height, unsigned seed) {
  std::minstd_rand random(seed + 1);
  std::vector<Noise> octaves;
  for (const int cells : {3, 7, 15, 31, 63, 127}) octaves.emplace_back(cells, random);
  const Noise tint(5, random);
  std::uniform_int_distribution<int> fine(-9, 9);
  Image image;
  image.resize(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float u = static_cast<float>(x) / static_cast<float>(width);
      const float v = static_cast<float>(y) / static_cast<float>(height);
      float light = 0;
      float share = 50;
      for (const Noise& octave : octaves) {
        light += share * octave.at(u, v);
        share *= 0.72F;
      }
      const float colour = 30 * tint.at(u, v);
      const std::array<float, 3> channels{light + colour, light, light - colour};
      for (std::size_t c = 0; c < 3; ++c) {
        const int value = 128 + static_cast<int>(channels[c]) + fine(random);
        image.row(y)[offset_of(x) + c] = static_cast<std::uint8_t>(std::clamp(value, 0, 255));
      }
    }
  }
  return image;
}

Crop random_crop(const Image& image, std::minstd_rand& random) {
  constexpr int kTries = 10;
  std::uniform_real_distribution<double> area_share(0.08, 1.0);
  std::uniform_real_distribution<double> log_ratio(std::log(3.0 / 4), std::log(4.0 / 3));
  const double area = static_cast<double>(image.width) * image.height;
  for (int i = 0; i < kTries; ++i) {
    const double wanted = area_share(random) * area;
    const double ratio = std::exp(log_ratio(random));
    const int width = static_cast<int>(std::lround(std::sqrt(wanted * ratio)));
    const int height = static_cast<int>(std::lround(std::sqrt(wanted / ratio)));
    if (width < 1 || height < 1 || width > image.width || height > image.height) continue;
    std::uniform_int_distribution<int> left(0, image.width - width);
    std::uniform_int_distribution<int> top(0, image.height - height);
    return {left(random), top(random), width, height};
  }
  return {0, 0, image.width, image.height};
}

void spread_row(Image& image, int y) {
  std::uint8_t* to = image.row(y);
  const std::uint8_t* from = packed_row(image, y);
  for (int x = 0; x < image.width; ++x, from += 3, to += kPixelBytes) {
    const std::array<std::uint8_t, kPixelBytes> pixel{from[0], from[1], from[2], 255};
    std::memcpy(to, pixel.data(), pixel.size());
  }
}

std::vector<std::uint8_t> packed(const Image& image) {
  std::vector<std::uint8_t> bytes(image.rgbx.size() / kPixelBytes * 3);
  pack(image, bytes.data());
  return bytes;
}

void cut(const Image& image, const Crop& crop, Image& out) {
  out.resize(crop.width, crop.height);
  const std::size_t bytes = offset_of(crop.width);
  for (int y = 0; y < crop.height; ++y) {
    std::memcpy(out.row(y), image.row(crop.top + y) + offset_of(crop.left), bytes);
  }
}

void resize(const Image& image, int side, Image& out) {
  const std::vector<Taps> columns = taps_of(image.width, side);
  const std::vector<Taps> rows = taps_of(image.height, side);
  Image narrow;  // the rows at their new width
  narrow.resize(side, image.height);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < side; ++x) {
      const Taps& taps = columns[static_cast<std::size_t>(x)];
      weigh(image.row(y) + offset_of(taps.first), kPixelBytes, taps, narrow.row(y) + offset_of(x));
    }
  }
  out.resize(side, side);
  for (int y = 0; y < side; ++y) {
    const Taps& taps = rows[static_cast<std::size_t>(y)];
    for (int x = 0; x < side; ++x) {
      weigh(narrow.row(taps.first) + offset_of(x), offset_of(side), taps,
            out.row(y) + offset_of(x));
    }
  }
}

void mirror(const Image& image, Image& out) {
  out.resize(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* from = image.row(y);
    std::uint8_t* to = out.row(y) + offset_of(image.width);
    for (int x = 0; x < image.width; ++x) {
      to -= kPixelBytes;
      std::memcpy(to, from + offset_of(x), kPixelBytes);
    }
  }
}

const std::vector<float>& TensorMaker::make(const Image& image) {
  constexpr std::array<float, 3> kMean{0.485F, 0.456F, 0.406F};
  constexpr std::array<float, 3> kDeviation{0.229F, 0.224F, 0.225F};
  const std::size_t plane = image.rgbx.size() / kPixelBytes;
  const std::size_t count = 3 * plane;
  for (auto* bytes : {&bytes_, &planes_}) bytes->resize(count);
  for (auto* numbers : {&numbers_, &shares_, &values_}) numbers->resize(count);
  pack(image, bytes_.data());
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t i = 0; i < plane; ++i) planes_[c * plane + i] = bytes_[3 * i + c];
  }
  std::copy(planes_.begin(), planes_.end(), numbers_.begin());
  std::transform(numbers_.begin(), numbers_.end(), shares_.begin(),
                 [](float value) { return value / 255; });
  values_ = shares_;
  for (std::size_t c = 0; c < 3; ++c) {
    float* const first = &values_[c * plane];
    std::for_each(first, first + plane, [&](float& value) { value -= kMean[c]; });
  }
  for (std::size_t c = 0; c < 3; ++c) {
    float* const first = &values_[c * plane];
    std::for_each(first, first + plane, [&](float& value) { value /= kDeviation[c]; });
  }
  return values_;
}

}  // namespace gpulint::probe
