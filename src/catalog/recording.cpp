#include "catalog/recording.h"

#include "base/text.h"
#include "catalog/strict_reader.h"

#include <fmt/format.h>

#include <cstdint>

namespace gpulint {
namespace {

// As many as the recorder writes down.
constexpr std::size_t kMostSources = 64;

/// A scalar, or the scalars of a list; nullopt for anything else.
std::optional<std::string> plain_text(const Document& document, NodeId node) {
  if (document.kind(node) == NodeKind::scalar) return std::string(document.scalar(node));
  if (document.kind(node) != NodeKind::sequence) return std::nullopt;
  std::string text;
  for (const NodeId item : document.items(node)) {
    if (document.kind(item) != NodeKind::scalar) return std::nullopt;
    text += (text.empty() ? "" : ", ") + std::string(document.scalar(item));
  }
  return text;
}

bool stays_below(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.find('\\') != std::string_view::npos) {
    return false;
  }
  for (const std::string_view part : split(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return path.ends_with(".py") && path.find(':') == std::string_view::npos;
}

std::vector<NamedText> read_plain_entries(Complaints& complaints, NodeId node) {
  std::vector<NamedText> entries;
  if (node == kNoNode) return entries;
  for (const auto& [name, value] : read_entries(complaints, node)) {
    if (auto text = plain_text(complaints.document(), value)) {
      entries.emplace_back(name, *std::move(text));
    } else {
      complaints.about(value, "is neither a plain value nor a list of them");
    }
  }
  return entries;
}

}  // namespace

Recording read_recording(Complaints& complaints, NodeId node) {
  Recording recording;
  StrictMapping mapping(complaints, node);
  recording.command = read_word(complaints, mapping.need("command"));
  if (const NodeId from = mapping.find("from"); from != kNoNode) {
    recording.files = read_plain_entries(complaints, from);
    for (const auto& [path, value] : read_entries(complaints, from)) {
      if (!stays_below(path)) complaints.about(value, "is not of a Python file below the project");
    }
    if (recording.files.size() > kMostSources) {
      complaints.about(from, fmt::format("names more than {} files", kMostSources));
    }
  }
  recording.facts = read_plain_entries(complaints, mapping.find("step"));
  recording.arguments = read_plain_entries(complaints, mapping.find("arguments"));
  mapping.refuse_unknown_keys();
  return recording;
}

std::optional<Recording> recording_of(const Document& document) {
  if (document.root() == kNoNode || document.kind(document.root()) != NodeKind::mapping) {
    return std::nullopt;
  }
  const NodeId node = document.find(document.root(), "recorded");
  if (node == kNoNode) return std::nullopt;
  Complaints complaints(document);
  Recording recording = read_recording(complaints, node);
  if (!complaints.none()) return std::nullopt;
  return recording;
}

std::string text_fingerprint(std::string_view text) {
  std::uint64_t value = 0xCBF29CE484222325U;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    value = (value ^ static_cast<unsigned char>(text[i])) * 0x100000001B3U;
  }
  return fmt::format("{:016x}", value);
}

}  // namespace gpulint
