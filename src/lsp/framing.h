#pragma once

// Messages on a byte stream: headers, an empty line, and as many bytes as Content-Length says.

#include "lsp/json.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint::lsp {

/// A whole text of a workspace edit fits; what is larger is skipped.
inline constexpr std::size_t kMostMessageBytes = std::size_t{64} << 20;

struct Frame {
  enum class Kind : std::uint8_t {
    body,
    oversized,  // its length is over the limit; its bytes are skipped
    malformed,  // headers without a length
  };
  Kind kind = Kind::body;
  std::string body = {};
};

/// Takes bytes as they come and gives messages. After headers that make no sense it goes on with
/// the next ones that do.
class FrameReader {
 public:
  explicit FrameReader(std::size_t most_bytes = kMostMessageBytes) : most_bytes_(most_bytes) {}

  void feed(std::string_view bytes);
  /// nullopt: more bytes are needed.
  std::optional<Frame> next();

 private:
  std::optional<Frame> read_headers();

  std::size_t most_bytes_;
  std::string buffer_;
  std::size_t skipped_ = 0;             // bytes of an oversized body still to come
  std::optional<std::size_t> awaited_;  // bytes of the body whose headers were read
};

/// A message with its headers.
std::string framed(const Json& message);

}  // namespace gpulint::lsp
