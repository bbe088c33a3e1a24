#include "lsp/framing.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace gpulint::lsp {
namespace {

constexpr std::size_t kMostHeaderBytes = 8192;
constexpr std::string_view kLength = "content-length:";

/// The length that headers state. It is looked for from behind: bytes that belong to no message may
/// stand in front.
std::optional<std::size_t> length_in(std::string_view headers) {
  const std::string lower = to_lower(headers);
  const std::size_t found = lower.rfind(kLength);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t begin = found + kLength.size();
  const std::size_t end = std::min(lower.find_first_of("\r\n", begin), lower.size());
  const std::string_view digits = trim(std::string_view(lower).substr(begin, end - begin));
  std::size_t length = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc() || stop != digits.data() + digits.size()) return std::nullopt;
  return length;
}

}  // namespace

void FrameReader::feed(std::string_view bytes) {
  const std::size_t dropped = std::min(skipped_, bytes.size());
  skipped_ -= dropped;
  buffer_ += bytes.substr(dropped);
}

std::optional<Frame> FrameReader::next() {
  if (!awaited_) {
    if (auto frame = read_headers()) return frame;
    if (!awaited_) return std::nullopt;
  }
  if (buffer_.size() < *awaited_) return std::nullopt;
  Frame frame{.body = buffer_.substr(0, *awaited_)};
  buffer_.erase(0, *awaited_);
  awaited_.reset();
  return frame;
}

/// A frame only where something is wrong with them.
std::optional<Frame> FrameReader::read_headers() {
  std::size_t end = buffer_.find("\r\n\r\n");
  std::size_t blank = 4;
  if (const std::size_t bare = buffer_.find("\n\n"); bare < end) {
    end = bare;
    blank = 2;
  }
  if (end == std::string::npos) {
    if (buffer_.size() <= kMostHeaderBytes) return std::nullopt;
    buffer_.clear();
    return Frame{.kind = Frame::Kind::malformed};
  }
  const std::optional<std::size_t> length = length_in(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + blank);
  if (!length) return Frame{.kind = Frame::Kind::malformed};
  if (*length <= most_bytes_) {
    awaited_ = length;
    return std::nullopt;
  }
  const std::size_t here = std::min(*length, buffer_.size());
  buffer_.erase(0, here);
  skipped_ = *length - here;
  return Frame{.kind = Frame::Kind::oversized};
}

std::string framed(const Json& message) {
  const std::string body = to_text(message);
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

}  // namespace gpulint::lsp
