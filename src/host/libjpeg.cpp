// libjpeg through its own interface, without its headers: what a program sees of its structures is
// the same since version 6b, up to the last member used here. Only their whole sizes differ, and
// the library is told which of both it is to work with. Source: jpeglib.h of libjpeg-turbo 2.1.

#include "host/codec.h"
#include "host/library.h"

#include <csetjmp>
#include <cstddef>
#include <cstdlib>
#include <utility>

namespace gpulint::probe {
namespace {

constexpr int kQuality = 90;
constexpr int kRgb = 2;               // J_COLOR_SPACE
constexpr int kWholeFile = 1;         // of jpeg_read_header
constexpr std::size_t kSpare = 1024;  // beyond the members known here; the largest takes 656

struct JpegErrors {
  void (*error_exit)(void* common);
  void (*emit_message)(void* common, int level);
  void (*output_message)(void* common);
  void (*format_message)(void* common, char* buffer);
  void (*reset)(void* common);
  std::byte rest[kSpare];
};

struct JpegReader {
  JpegErrors* errors;
  void* memory;
  void* progress;
  void* client_data;
  int is_reader;
  int state;
  void* source;
  unsigned image_width;
  unsigned image_height;
  int components;
  int file_colours;
  int wanted_colours;
  unsigned scale_numerator;
  unsigned scale_denominator;
  double gamma;
  int settings[12];
  unsigned width;
  unsigned height;
  int colour_components;
  int bytes_per_pixel;
  int buffer_rows;
  int colour_count;
  void* colour_map;
  unsigned next_row;
  std::byte rest[kSpare];
};

struct JpegWriter {
  JpegErrors* errors;
  void* memory;
  void* progress;
  void* client_data;
  int is_reader;
  int state;
  void* destination;
  unsigned image_width;
  unsigned image_height;
  int components;
  int colours;
  std::byte rest[kSpare];
};

#if __SIZEOF_POINTER__ == 8
static_assert(offsetof(JpegReader, width) == 136 && offsetof(JpegReader, next_row) == 168);
static_assert(offsetof(JpegWriter, colours) == 60);
constexpr bool kKnownLayout = true;
#else
constexpr bool kKnownLayout = false;
#endif

/// As `sizeof` has it where a pointer takes eight bytes.
struct JpegVersion {
  const char* name;
  int number;
  std::size_t reader;
  std::size_t writer;
};
constexpr JpegVersion kJpegVersions[] = {{"libjpeg.so.62", 62, 632, 520},
                                         {"libjpeg.so.8", 80, 656, 584}};

struct JpegApi {
  JpegErrors* (*standard_errors)(JpegErrors*);
  void (*create_reader)(JpegReader*, int version, std::size_t size);
  void (*from_memory)(JpegReader*, const unsigned char*, unsigned long);
  int (*read_header)(JpegReader*, int);
  int (*start_reading)(JpegReader*);
  unsigned (*read_rows)(JpegReader*, unsigned char**, unsigned);
  int (*finish_reading)(JpegReader*);
  void (*destroy_reader)(JpegReader*);
  void (*create_writer)(JpegWriter*, int version, std::size_t size);
  void (*to_memory)(JpegWriter*, unsigned char**, unsigned long*);
  void (*set_defaults)(JpegWriter*);
  void (*set_quality)(JpegWriter*, int, int);
  void (*start_writing)(JpegWriter*, int);
  unsigned (*write_rows)(JpegWriter*, unsigned char**, unsigned);
  void (*finish_writing)(JpegWriter*);
  void (*destroy_writer)(JpegWriter*);
};

std::string find_functions(const Library& library, JpegApi& api) {
  SymbolTable table(library);
  table.need(api.standard_errors, "jpeg_std_error");
  table.need(api.create_reader, "jpeg_CreateDecompress");
  table.need(api.from_memory, "jpeg_mem_src");
  table.need(api.read_header, "jpeg_read_header");
  table.need(api.start_reading, "jpeg_start_decompress");
  table.need(api.read_rows, "jpeg_read_scanlines");
  table.need(api.finish_reading, "jpeg_finish_decompress");
  table.need(api.destroy_reader, "jpeg_destroy_decompress");
  table.need(api.create_writer, "jpeg_CreateCompress");
  table.need(api.to_memory, "jpeg_mem_dest");
  table.need(api.set_defaults, "jpeg_set_defaults");
  table.need(api.set_quality, "jpeg_set_quality");
  table.need(api.start_writing, "jpeg_start_compress");
  table.need(api.write_rows, "jpeg_write_scanlines");
  table.need(api.finish_writing, "jpeg_finish_compress");
  table.need(api.destroy_writer, "jpeg_destroy_compress");
  return table.missing();
}

/// The library leaves through here: its own handler would end the process.
struct JpegAttempt {
  JpegErrors errors{};
  std::jmp_buf back{};
};

[[noreturn]] void leave_library(void* common) {
  // Both structures begin alike; client_data is ours.
  std::longjmp(static_cast<JpegAttempt*>(static_cast<JpegReader*>(common)->client_data)->back, 1);
}
void say_nothing(void*) {}
void say_nothing_of_level(void*, int) {}

class JpegCodec : public Codec {
 public:
  JpegCodec(const JpegApi& api, const JpegVersion& version, std::string path)
      : api_(api), version_(version), path_(std::move(path)) {}
  const std::string& library() const override { return path_; }
  bool decode(std::span<const std::uint8_t> file, Image& image) const override;
  std::string encode(const Image& image) const override;

 private:
  /// Three bytes a pixel.
  struct Pixels {
    unsigned width;
    unsigned height;
    const unsigned char* rgb;
  };
  JpegErrors* quiet(JpegAttempt& attempt) const {
    JpegErrors* errors = api_.standard_errors(&attempt.errors);
    errors->error_exit = leave_library;
    errors->emit_message = say_nothing_of_level;
    errors->output_message = say_nothing;
    return errors;
  }
  bool read_all(JpegReader& reader, std::span<const std::uint8_t> file, Image& image) const;
  void write_all(JpegWriter& writer, const Pixels& pixels, unsigned char*& bytes,
                 unsigned long& size) const;

  JpegApi api_;
  JpegVersion version_;
  std::string path_;
};

/// Nothing here or below has a destructor that the way back from the library would skip.
bool JpegCodec::read_all(JpegReader& reader, std::span<const std::uint8_t> file,
                         Image& image) const {
  api_.create_reader(&reader, version_.number, version_.reader);
  api_.from_memory(&reader, file.data(), file.size());
  if (api_.read_header(&reader, kWholeFile) != 1) return false;
  if (!may_be_decoded(reader.image_width, reader.image_height)) return false;
  reader.wanted_colours = kRgb;
  api_.start_reading(&reader);
  image.resize(static_cast<int>(reader.width), static_cast<int>(reader.height));
  if (reader.bytes_per_pixel != 3) return false;
  for (int y = 0; y < image.height; ++y) {
    unsigned char* to = packed_row(image, y);
    if (api_.read_rows(&reader, &to, 1) != 1) return false;
    spread_row(image, y);
  }
  api_.finish_reading(&reader);
  return true;
}

bool JpegCodec::decode(std::span<const std::uint8_t> file, Image& image) const {
  JpegAttempt attempt;
  JpegReader reader{};
  reader.errors = quiet(attempt);
  reader.client_data = &attempt;
  volatile bool good = false;
  if (setjmp(attempt.back) == 0) good = read_all(reader, file, image);
  if (reader.memory != nullptr) api_.destroy_reader(&reader);
  return good;
}

void JpegCodec::write_all(JpegWriter& writer, const Pixels& pixels, unsigned char*& bytes,
                          unsigned long& size) const {
  api_.create_writer(&writer, version_.number, version_.writer);
  api_.to_memory(&writer, &bytes, &size);
  writer.image_width = pixels.width;
  writer.image_height = pixels.height;
  writer.components = 3;
  writer.colours = kRgb;
  api_.set_defaults(&writer);
  api_.set_quality(&writer, kQuality, 1);
  api_.start_writing(&writer, 1);
  for (std::size_t y = 0; y < writer.image_height; ++y) {
    // The library does not write to it; its interface just has no const.
    auto* row = const_cast<unsigned char*>(pixels.rgb + y * 3 * writer.image_width);
    api_.write_rows(&writer, &row, 1);
  }
  api_.finish_writing(&writer);
}

std::string JpegCodec::encode(const Image& image) const {
  struct Encoded {
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    bool good = false;
  } encoded;
  const std::vector<std::uint8_t> bytes = packed(image);
  const Pixels pixels{static_cast<unsigned>(image.width), static_cast<unsigned>(image.height),
                      bytes.data()};
  JpegAttempt attempt;
  JpegWriter writer{};
  writer.errors = quiet(attempt);
  writer.client_data = &attempt;
  if (setjmp(attempt.back) == 0) {
    write_all(writer, pixels, encoded.bytes, encoded.size);
    encoded.good = true;
  }
  if (writer.memory != nullptr) api_.destroy_writer(&writer);
  std::string text;
  if (encoded.good) text.assign(reinterpret_cast<char*>(encoded.bytes), encoded.size);
  std::free(encoded.bytes);
  return text;
}

}  // namespace

Result<std::unique_ptr<Codec>> open_jpeg() {
  if (!kKnownLayout) return fail("libjpeg is read on 64-bit systems only");
  for (const JpegVersion& version : kJpegVersions) {
    const auto library = Library::open(version.name);
    if (!library) continue;
    JpegApi api{};
    if (!find_functions(*library, api).empty()) continue;
    return std::unique_ptr<Codec>(std::make_unique<JpegCodec>(api, version, library->path()));
  }
  return fail(
      "libjpeg is missing, install libjpeg-turbo (Debian: libjpeg62-turbo, Ubuntu: "
      "libjpeg-turbo8)");
}

}  // namespace gpulint::probe
