#include "code/resized_later.h"

#include "code/call_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gpulint {
namespace {

/// Where the list around a place begins; npos: there is none near it.
std::size_t list_around(std::string_view text, std::size_t at) {
  constexpr std::size_t kFurthest = 4'000;
  int closed = 0;
  const std::size_t end = at > kFurthest ? at - kFurthest : 0;
  while (at-- > end) {
    const char c = text[at];
    if (c == ']' || c == ')' || c == '}') ++closed;
    if (c != '[' && c != '(' && c != '{') continue;
    if (closed-- == 0) return c == '[' ? at : std::string_view::npos;
  }
  return std::string_view::npos;
}

bool is_passing(const SeenFact& fact) {
  return fact.fact.argument != nullptr && fact.fact.argument->is_passing;
}

}  // namespace

void leave_out_resized(const python::Call& call, const std::vector<SeenFact>& stated,
                       std::vector<SeenFact>& seen) {
  if (std::none_of(stated.begin(), stated.end(), is_passing)) return;
  const SourceSpan own = call_span(call);
  const std::size_t list = list_around(call.module->text, own.begin);
  if (list == std::string_view::npos) return;
  const auto is_before = [&](const SeenFact& each) {
    const SourceSpan& other = each.fact.call;
    return other.file == own.file && other.begin > list && other.end <= own.begin;
  };
  for (SeenFact& each : seen) {
    if (each.fact.argument == nullptr || is_passing(each) || !is_before(each)) continue;
    const bool is_resized =
        std::any_of(stated.begin(), stated.end(), [&](const SeenFact& later) {
          return is_passing(later) && later.fact.fact == each.fact.fact;
        });
    if (is_resized) each.fact.fact.clear();  // others go by its place
  }
}

}  // namespace gpulint
