// libpng 1.6 through its simplified interface. Source: png.h, section "Simplified API".

#include "host/codec.h"
#include "host/library.h"

#include <utility>

namespace gpulint::probe {
namespace {

constexpr std::uint32_t kPngVersion = 1;
constexpr std::uint32_t kPngRgb = 2;

struct PngImage {
  void* opaque;
  std::uint32_t version;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t format;
  std::uint32_t flags;
  std::uint32_t colour_map_entries;
  std::uint32_t warning_or_error;
  char message[64];
};

struct PngApi {
  int (*begin_read)(PngImage*, const void*, std::size_t);
  int (*finish_read)(PngImage*, const void* background, void* buffer, std::int32_t stride,
                     void* colour_map);
  int (*write)(PngImage*, void* memory, std::size_t* bytes, int to_8_bit, const void* buffer,
               std::int32_t stride, const void* colour_map);
  void (*free)(PngImage*);
};

class PngCodec : public Codec {
 public:
  PngCodec(const PngApi& api, std::string path) : api_(api), path_(std::move(path)) {}
  const std::string& library() const override { return path_; }

  bool decode(std::span<const std::uint8_t> file, Image& image) const override {
    PngImage png{};
    png.version = kPngVersion;
    bool good = api_.begin_read(&png, file.data(), file.size()) != 0 &&
                may_be_decoded(png.width, png.height);
    if (good) {
      png.format = kPngRgb;
      image.resize(static_cast<int>(png.width), static_cast<int>(png.height));
      const Background black{};
      const auto stride = static_cast<std::int32_t>(kPixelBytes * png.width);
      good = api_.finish_read(&png, &black, packed_row(image, 0), stride, nullptr) != 0;
      for (int y = 0; good && y < image.height; ++y) spread_row(image, y);
    }
    api_.free(&png);
    return good;
  }

  std::string encode(const Image& image) const override {
    PngImage png{};
    png.version = kPngVersion;
    png.width = static_cast<std::uint32_t>(image.width);
    png.height = static_cast<std::uint32_t>(image.height);
    png.format = kPngRgb;
    const std::vector<std::uint8_t> pixels = packed(image);
    std::size_t bytes = pixels.size() * 2 + 4096;  // more than stored pixels take
    std::string text(bytes, '\0');
    const bool good = api_.write(&png, text.data(), &bytes, 0, pixels.data(), 0, nullptr) != 0;
    api_.free(&png);
    text.resize(good ? bytes : 0);
    return text;
  }

 private:
  /// What lies behind transparent pixels.
  struct Background {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
  };
  PngApi api_;
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<Codec>> open_png() {
  const auto library = Library::open("libpng16.so.16");
  if (!library) {
    return fail("libpng is missing, install libpng 1.6 (Debian and Ubuntu: libpng16-16)");
  }
  PngApi api{};
  SymbolTable table(*library);
  table.need(api.begin_read, "png_image_begin_read_from_memory");
  table.need(api.finish_read, "png_image_finish_read");
  table.need(api.write, "png_image_write_to_memory");
  table.need(api.free, "png_image_free");
  if (!table.missing().empty()) return fail("libpng lacks " + table.missing());
  return std::unique_ptr<Codec>(std::make_unique<PngCodec>(api, library->path()));
}

}  // namespace gpulint::probe
