#pragma once

#include "base/result.h"
#include "host/image.h"

#include <memory>
#include <span>
#include <string>

namespace gpulint::probe {

/// A kind of image file, read by the library of this system that loaders use too.
class Codec {
 public:
  virtual ~Codec() = default;
  /// False for what the library refuses and for images that are too large.
  virtual bool decode(std::span<const std::uint8_t> file, Image& image) const = 0;
  /// "" where the library refuses.
  virtual std::string encode(const Image& image) const = 0;
  /// The library's file, as the loader found it.
  virtual const std::string& library() const = 0;
};

/// libjpeg-turbo, or another libjpeg with the interface of version 6.2 or 8. The Error says what to
/// install.
Result<std::unique_ptr<Codec>> open_jpeg();
/// libpng 1.6.
Result<std::unique_ptr<Codec>> open_png();

}  // namespace gpulint::probe
