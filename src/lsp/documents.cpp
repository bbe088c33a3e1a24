#include "lsp/documents.h"

#include "lsp/uri.h"

#include <utility>

namespace gpulint::lsp {

void Documents::open(OpenDocument document) {
  std::string path = document.path;
  by_path_.insert_or_assign(std::move(path), std::move(document));
}

void Documents::close(const std::string& path) { by_path_.erase(path); }

OpenDocument* Documents::find(const std::string& path) {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

const OpenDocument* Documents::find(const std::string& path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

std::string Documents::uri_of(const std::string& path) const {
  const OpenDocument* document = find(path);
  return document == nullptr ? uri_of_path(path) : document->uri;
}

bool apply_change(std::string& text, const Json& change, Units units) {
  auto replacement = text_at(change, {"text"});
  if (!replacement) return false;
  const Json* range = member(change, {"range"});
  if (range == nullptr || range->is_null()) {
    text = std::move(*replacement);
    return true;
  }
  const Json* start = member(*range, {"start"});
  const Json* end = member(*range, {"end"});
  if (start == nullptr || end == nullptr) return false;
  const LineIndex lines(text);
  const TextPlaces places(text, lines, units);
  const std::uint32_t from = places.offset(position_from(*start));
  const std::uint32_t to = places.offset(position_from(*end));
  if (to < from) return false;
  text.replace(from, to - from, *replacement);
  return true;
}

}  // namespace gpulint::lsp
