#include "host/image_rates.h"

#include "base/text.h"
#include "host/codec.h"
#include "host/data_files.h"
#include "host/statistics.h"
#include "host/worker_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <sys/mman.h>

namespace gpulint::probe {
namespace {

constexpr std::size_t kFewestFiles = 8;  // fewer say little of the data
constexpr std::size_t kMostFiles = 256;
constexpr std::size_t kMostFileBytes = std::size_t{16} << 20;
constexpr int kGeneratedWidth = 500;  // about the average of ImageNet's files
constexpr int kGeneratedHeight = 375;
constexpr unsigned kGenerated = 8;
constexpr std::size_t kBatch = 32;

/// Files of one kind.
struct ImageSet {
  std::vector<std::string> paths;  // of the data path; empty: generated
  std::vector<std::string> texts;  // their bytes
  std::string words;               // "48 files of /data, 412 x 388 pixels on average"
};

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

bool has_ending(const std::string& path, std::span<const std::string_view> endings) {
  const std::string ending = to_lower(extension(path));
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

/// Files of the data path that the codec reads, spread evenly over those that were found.
ImageSet files_of(const std::vector<DataFile>& files, std::span<const std::string_view> endings,
                  const Codec& codec, const std::string& data_path) {
  std::vector<const DataFile*> candidates;
  for (const DataFile& file : files) {
    if (has_ending(file.path, endings)) candidates.push_back(&file);
  }
  ImageSet set;
  Image image;
  double width = 0;
  double height = 0;
  const std::size_t step = std::max<std::size_t>(1, candidates.size() / kMostFiles);
  for (std::size_t i = 0; i < candidates.size() && set.paths.size() < kMostFiles; i += step) {
    std::string text = read_data_file(candidates[i]->path, kMostFileBytes);
    if (text.empty() || !codec.decode(bytes_of(text), image)) continue;
    set.paths.push_back(candidates[i]->path);
    set.texts.push_back(std::move(text));
    width += image.width;
    height += image.height;
  }
  const auto count = static_cast<double>(set.paths.size());
  if (set.paths.size() < kFewestFiles) return {};
  set.words = fmt::format("{} of {}, {:.0f} x {:.0f} pixels on average",
                          counted(static_cast<std::int64_t>(set.paths.size()), "file"), data_path,
                          width / count, height / count);
  return set;
}

ImageSet generated_set(const Codec& codec) {
  ImageSet set;
  std::size_t bytes = 0;
  for (unsigned seed = 0; seed < kGenerated; ++seed) {
    set.texts.push_back(
        codec.encode(generated_photograph(kGeneratedWidth, kGeneratedHeight, seed)));
    bytes += set.texts.back().size();
  }
  set.words = fmt::format("generated, {} x {} pixels, {} each", kGeneratedWidth, kGeneratedHeight,
                          format_decimal(Bytes::of(static_cast<std::int64_t>(bytes / kGenerated))));
  return set;
}

/// Samples are collected in memory that the training process shares, new for each batch.
class SharedBatch {
 public:
  explicit SharedBatch(std::size_t sample_values) : sample_bytes_(sample_values * sizeof(float)) {}
  SharedBatch(const SharedBatch&) = delete;
  SharedBatch& operator=(const SharedBatch&) = delete;
  ~SharedBatch() { leave(); }
  bool add(const std::vector<float>& sample) {
    if (filled_ == kBatch) leave();
    if (memory_ == MAP_FAILED) {
      memory_ = mmap(nullptr, kBatch * sample_bytes_, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (memory_ == MAP_FAILED) return false;
    }
    std::memcpy(static_cast<char*>(memory_) + filled_ * sample_bytes_, sample.data(),
                sample_bytes_);
    ++filled_;
    return true;
  }

 private:
  void leave() {
    if (memory_ != MAP_FAILED) munmap(memory_, kBatch * sample_bytes_);
    memory_ = MAP_FAILED;
    filled_ = 0;
  }
  std::size_t sample_bytes_;
  std::size_t filled_ = 0;
  void* memory_ = MAP_FAILED;
};

/// Of one worker.
class SampleMaker {
 public:
  SampleMaker(int side, int worker)
      : side_(side),
        random_(static_cast<unsigned>(worker) + 1),
        batch_(std::size_t{3} * static_cast<std::size_t>(side) * static_cast<std::size_t>(side)) {}
  bool make(const Image& image) {
    cut(image, random_crop(image, random_), cut_);
    resize(cut_, side_, square_);
    const bool flips = random_() % 2 == 0;
    if (flips) mirror(square_, mirrored_);
    return batch_.add(tensors_.make(flips ? mirrored_ : square_));
  }

 private:
  int side_;
  std::minstd_rand random_;
  Image cut_;
  Image square_;
  Image mirrored_;
  TensorMaker tensors_;
  SharedBatch batch_;
};

/// Each worker goes through the files from a place of its own.
std::size_t first_file(const ImageSet& set, int worker) {
  constexpr std::size_t kStride = 37;
  return static_cast<std::size_t>(worker) * kStride % set.texts.size();
}

Round decoding(const ImageSet& set, const Codec& codec, int worker) {
  return [&set, &codec, image = Image{}, next = first_file(set, worker)]() mutable {
    const bool good = codec.decode(bytes_of(set.texts[next]), image);
    next = (next + 1) % set.texts.size();
    return good;
  };
}

Round augmenting(const ImageSet& set, const Codec& codec, int side, int worker) {
  auto images = std::make_shared<std::vector<Image>>();
  for (std::size_t i = 0; i < std::min<std::size_t>(set.texts.size(), kGenerated); ++i) {
    if (!codec.decode(bytes_of(set.texts[i]), images->emplace_back())) return {};
  }
  auto maker = std::make_shared<SampleMaker>(side, worker);
  return [images, maker, next = std::size_t{0}]() mutable {
    next = (next + 1) % images->size();
    return maker->make((*images)[next]);
  };
}

Round whole_pipeline(const ImageSet& set, const Codec& codec, int side, int worker) {
  auto maker = std::make_shared<SampleMaker>(side, worker);
  return [&set, &codec, maker, image = Image{}, text = std::string(),
          next = first_file(set, worker)]() mutable {
    const bool from_disk = !set.paths.empty();
    if (from_disk) text = read_data_file(set.paths[next], kMostFileBytes);
    const std::string& file = from_disk ? text : set.texts[next];
    next = (next + 1) % set.texts.size();
    return codec.decode(bytes_of(file), image) && maker->make(image);
  };
}

struct ImageRate {
  FigureKind kind;
  int workers;
  std::string source;
  bool own_data;
};

void send_rates(const ImageRate& rate, const PartWriter& writer,
                const std::function<Round(int)>& make) {
  const auto rates = worker_rates({.workers = rate.workers}, make);
  // A rate of 0 is one image that took longer than all of the time there was.
  if (!rates || summarize(*rates).median <= 0) {
    return writer.missing(name_of(rate.kind), "the images could not be worked on in time");
  }
  Figure figure = figure_of(rate.kind, *rates, rate.workers, rate.source);
  figure.own_data = rate.own_data;
  writer.figure(figure);
}

/// By one worker and by as many as run at once.
void measure_decoding(FigureKind kind, const Codec& codec, const ImageSet& set,
                      const ImageWork& work, const PartWriter& writer) {
  const std::string source = fmt::format("{}, {}", set.words, file_name(codec.library()));
  const auto make = [&](int worker) { return decoding(set, codec, worker); };
  const bool own_data = !set.paths.empty();
  send_rates({kind, 1, source, own_data}, writer, make);
  if (work.workers.back() > 1) {
    send_rates({kind, work.workers.back(), source, own_data}, writer, make);
  }
}

void measure_pipeline(const Codec& codec, const ImageSet& set, const ImageWork& work,
                      const PartWriter& writer) {
  const std::string steps =
      fmt::format("crop, resize to {}, flip and normalise are gpulint's own code", work.side);
  const bool own_data = !set.paths.empty();
  send_rates({FigureKind::augment, 1, fmt::format("{}; {}", set.words, steps), own_data}, writer,
             [&](int worker) { return augmenting(set, codec, work.side, worker); });
  const std::string_view read = own_data ? "files read when warm" : "files lie in memory";
  for (const int workers : work.workers) {
    send_rates({FigureKind::image_pipeline, workers,
                fmt::format("{}; {}; {}", set.words, read, steps), own_data},
               writer, [&](int worker) { return whole_pipeline(set, codec, work.side, worker); });
  }
}

}  // namespace

std::vector<int> worker_counts(int parallel, int asked) {
  constexpr int kMostAsked = 64;
  std::vector<int> counts;
  for (int count = 1; count < parallel; count *= 2) counts.push_back(count);
  counts.push_back(parallel);
  if (asked > 1 && asked <= kMostAsked) counts.push_back(asked);
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

void measure_images(const ImageWork& work, const PartWriter& writer) {
  static constexpr std::string_view kJpegEndings[] = {"jpg", "jpeg"};
  static constexpr std::string_view kPngEndings[] = {"png"};
  struct Kind {
    FigureKind decode;
    std::span<const std::string_view> endings;
    Result<std::unique_ptr<Codec>> codec;
    ImageSet set;
  };
  Kind kinds[] = {{FigureKind::jpeg_decode, kJpegEndings, open_jpeg(), {}},
                  {FigureKind::png_decode, kPngEndings, open_png(), {}}};
  std::vector<DataFile> files;
  const std::string data_path = first_existing(work.data_paths);
  if (!data_path.empty()) {
    if (auto found = find_data_files(data_path)) files = std::move(*found);
  }
  const Kind* main = nullptr;  // what the data path's loader decodes; else the first there is
  for (Kind& kind : kinds) {
    if (!kind.codec) {
      writer.missing(name_of(kind.decode), kind.codec.error().message);
      continue;
    }
    kind.set = files_of(files, kind.endings, **kind.codec, data_path);
    if (kind.set.texts.empty()) kind.set = generated_set(**kind.codec);
    if (main == nullptr || (main->set.paths.empty() && !kind.set.paths.empty())) main = &kind;
  }
  if (main != nullptr) measure_pipeline(**main->codec, main->set, work, writer);
  for (const Kind& kind : kinds) {
    if (kind.codec) measure_decoding(kind.decode, **kind.codec, kind.set, work, writer);
  }
}

}  // namespace gpulint::probe
