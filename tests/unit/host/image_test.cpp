#include "host/image.h"

#include "host/codec.h"
#include "host/image_rates.h"
#include "unit/host/kernel_tree.h"

#include <array>
#include <cmath>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

std::span<const std::uint8_t> span_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Image plain(int width, int height, std::uint8_t value) {
  Image image;
  image.resize(width, height);
  std::fill(image.rgbx.begin(), image.rgbx.end(), value);
  return image;
}

double mean_difference(const Image& a, const Image& b) {
  const std::vector<std::uint8_t> first = packed(a);
  const std::vector<std::uint8_t> second = packed(b);
  double sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) sum += std::abs(first[i] - second[i]);
  return sum / static_cast<double>(first.size());
}

}  // namespace

TEST_CASE("resizing keeps a plain image plain") {
  Image out;
  for (const auto& [width, height, side] : {std::array{50, 37, 224}, {1, 1, 8}}) {
    resize(plain(width, height, 200), side, out);
    CHECK(out.width == side);
    CHECK(out.height == side);
    for (const std::uint8_t value : packed(out)) REQUIRE(value == 200);
  }
}

TEST_CASE("halving an image averages with linear weights") {
  Image image;
  image.resize(4, 4);
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t c = 0; c < 3; ++c)
      image.rgbx[kPixelBytes * i + c] = static_cast<std::uint8_t>(40 * (i % 4));
  }
  Image out;
  resize(image, 2, out);
  // Columns 0, 40, 80, 120 with weights 3, 3, 1 of 7, and mirrored.
  CHECK(packed(out)[0] == 29);
  CHECK(packed(out)[3] == 91);
}

TEST_CASE("a cut keeps the pixels of its place, and a mirrored image turns its rows") {
  Image image;
  image.resize(3, 2);
  for (std::size_t i = 0; i < image.rgbx.size(); ++i) {
    image.rgbx[i] = static_cast<std::uint8_t>(i);
  }
  Image part;
  cut(image, {1, 1, 2, 1}, part);
  CHECK(packed(part) == std::vector<std::uint8_t>{16, 17, 18, 20, 21, 22});
  Image turned;
  mirror(part, turned);
  CHECK(packed(turned) == std::vector<std::uint8_t>{20, 21, 22, 16, 17, 18});
}

TEST_CASE("a tensor has planes of values less the mean, divided by the deviation") {
  Image pixels;
  pixels.resize(2, 1);
  pixels.rgbx = {255, 0, 0, 255, 0, 0, 255, 255};
  TensorMaker tensors;
  const std::vector<float> values = tensors.make(pixels);
  REQUIRE(values.size() == 6);
  CHECK(values[0] == doctest::Approx((1 - 0.485) / 0.229).epsilon(1e-5));
  CHECK(values[1] == doctest::Approx(-0.485 / 0.229).epsilon(1e-5));
  CHECK(values[5] == doctest::Approx((1 - 0.406) / 0.225).epsilon(1e-5));
}

TEST_CASE("random crops lie inside the image") {
  std::minstd_rand random(7);
  for (const auto& [width, height] : {std::pair{500, 375}, {1, 1}, {1000, 3}, {3, 1000}}) {
    const Image image = plain(width, height, 0);
    for (int i = 0; i < 200; ++i) {
      const Crop crop = random_crop(image, random);
      CHECK((crop.left >= 0 && crop.top >= 0 && crop.width >= 1 && crop.height >= 1));
      CHECK((crop.left + crop.width <= width && crop.top + crop.height <= height));
    }
  }
}

TEST_CASE("images survive this system's libjpeg and libpng") {
  const Image photograph = generated_photograph(120, 80, 3);
  const auto jpeg = open_jpeg();
  const auto png = open_png();
  if (!jpeg || !png) {
    MESSAGE("skipped: " << (jpeg ? png.error().message : jpeg.error().message));
    return;
  }
  Image back;
  REQUIRE((*png)->decode(span_of((*png)->encode(photograph)), back));
  CHECK(packed(back) == packed(photograph));
  REQUIRE((*jpeg)->decode(span_of((*jpeg)->encode(photograph)), back));
  CHECK(back.width == 120);
  CHECK(back.height == 80);
  CHECK(mean_difference(back, photograph) < 8);
}

TEST_CASE("broken files are refused and leave the process alive") {
  const Image photograph = generated_photograph(64, 64, 1);
  for (const auto& opened : {open_jpeg(), open_png()}) {
    if (!opened) {
      MESSAGE("skipped: " << opened.error().message);
      continue;
    }
    const Codec& codec = **opened;
    const std::string good = codec.encode(photograph);
    Image image;
    CHECK_FALSE(codec.decode({}, image));
    CHECK_FALSE(codec.decode(span_of("no image at all, and rather short"), image));
    CHECK_FALSE(codec.decode(span_of(good.substr(0, 20)), image));
    std::minstd_rand random(5);
    for (int i = 0; i < 200; ++i) {
      std::string broken = good;
      for (int k = 0; k < 8; ++k) broken[random() % broken.size()] = static_cast<char>(random());
      codec.decode(span_of(broken), image);  // either answer will do
    }
    CHECK(codec.decode(span_of(good), image));
  }
}

TEST_CASE("workers are counted by powers of two, up to the CPUs and what a config asks for") {
  CHECK(worker_counts(1, 0) == std::vector<int>{1});
  CHECK(worker_counts(2, 4) == std::vector<int>{1, 2, 4});
  CHECK(worker_counts(6, 3) == std::vector<int>{1, 2, 3, 4, 6});
  CHECK(worker_counts(2, 1000) == std::vector<int>{1, 2});
}

TEST_CASE("images of the data path take the place of generated ones") {
  const auto jpeg = open_jpeg();
  if (!jpeg) {
    MESSAGE("skipped: " << jpeg.error().message);
    return;
  }
  KernelTree tree;
  for (int i = 0; i < 8; ++i) {
    tree.file(fmt::format("{}.JPG", i), (*jpeg)->encode(generated_photograph(40, 30, 1)));
  }
  tree.file("broken.jpg", "not one");
  HostReport report;
  run_part({"images", std::chrono::seconds(30),
            [&](const PartWriter& writer) {
              measure_images({.data_paths = {tree.root()}, .side = 32, .workers = {1}}, writer);
            }},
           report);
  const Figure* pipeline = find_figure(report, FigureKind::image_pipeline);
  REQUIRE(pipeline != nullptr);
  CHECK(pipeline->own_data);
  CHECK(pipeline->source.starts_with("8 files of " + tree.root() + ", 40 x 30 pixels on average"));
}
