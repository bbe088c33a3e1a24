#pragma once

#include "source/document.h"

#include <algorithm>
#include <cstring>

namespace gpulint::testing {

/// True when both trees have the same nodes, values, spans, comments and problems.
inline bool same_tree(const Document& a, const Document& b) {
  const auto one = a.view();
  const auto two = b.view();
  const auto same_comment = [](const Comment& x, const Comment& y) {
    return x.begin == y.begin && x.end == y.end;
  };
  const auto same_problem = [](const Problem& x, const Problem& y) {
    return x.kind == y.kind && x.begin == y.begin && x.end == y.end && x.node == y.node &&
           x.other == y.other && x.text == y.text;
  };
  return one.nodes.size() == two.nodes.size() &&
         std::memcmp(one.nodes.data(), two.nodes.data(), one.nodes.size_bytes()) == 0 &&
         one.pool == two.pool && std::ranges::equal(one.roots, two.roots) &&
         std::ranges::equal(one.comments, two.comments, same_comment) &&
         std::ranges::equal(a.problems(), b.problems(), same_problem);
}

}  // namespace gpulint::testing
