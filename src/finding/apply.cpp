#include "finding/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace gpulint {
namespace {

/// Indices in the order of the bytes they replace; an insertion stands before a replacement.
std::vector<std::size_t> by_place(std::span<const Edit> edits) {
  std::vector<std::size_t> order(edits.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return edits[a].span < edits[b].span; });
  return order;
}

bool collide(const Edit& before, const Edit& after) {
  if (before.span.file != after.span.file || before == after) return false;
  return after.span.begin < before.span.end || after.span == before.span;
}

}  // namespace

std::optional<EditCollision> find_collision(std::span<const Edit> edits) {
  const std::vector<std::size_t> order = by_place(edits);
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (collide(edits[order[i - 1]], edits[order[i]])) {
      return EditCollision{order[i - 1], order[i]};
    }
  }
  return std::nullopt;
}

Result<std::string> apply_edits(std::string_view text, FileId file, std::span<const Edit> edits) {
  std::vector<Edit> own;
  for (const std::size_t index : by_place(edits)) {
    const Edit& edit = edits[index];
    if (edit.span.file != file) continue;
    if (edit.span.begin > edit.span.end || edit.span.end > text.size()) {
      return fail(
          Error{.message = fmt::format("an edit of bytes {} to {} lies outside a text of {} bytes",
                                       edit.span.begin, edit.span.end, text.size()),
                .where = edit.span});
    }
    if (own.empty() || own.back() != edit) own.push_back(edit);
  }
  if (const auto collision = find_collision(own)) {
    const SourceSpan where = own[collision->second].span;
    return fail(
        Error{.message = fmt::format("two edits change the same text at byte {}", where.begin),
              .where = where});
  }
  std::string result;
  result.reserve(text.size());
  std::size_t copied = 0;
  for (const Edit& edit : own) {
    result += text.substr(copied, edit.span.begin - copied);
    result += edit.text;
    copied = edit.span.end;
  }
  result += text.substr(copied);
  return result;
}

}  // namespace gpulint
