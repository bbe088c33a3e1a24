#include "engine/fix_place.h"

#include "base/text.h"
#include "plan/key_index.h"
#include "source/interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace gpulint {
namespace {

constexpr std::string_view kMergeKey = "<<";

NodeId scalar_at(const Document& document, const SourceSpan& span) {
  if (span.begin == span.end) return kNoNode;
  for (NodeId id = 0; id < document.size(); ++id) {
    if (document.kind(id) == NodeKind::scalar && document.span(id) == span) return id;
  }
  return kNoNode;
}

/// Why the bytes of a node count for more than this one place; "" = they do not.
std::string shared_through(const Document& document, NodeId value) {
  for (NodeId id = value; id != kNoNode; id = document.node(id).parent) {
    if (!document.anchor(id).empty()) {
      return fmt::format("the value is shared through the anchor &{}", document.anchor(id));
    }
    const NodeId key = document.node(id).key;
    if (key != kNoNode && document.scalar(key) == kMergeKey) {
      return "the value comes in through a merge key";
    }
  }
  return {};
}

std::string_view without_quotes(std::string_view text, Quoting quoting) {
  const bool quoted = quoting == Quoting::single_quoted || quoting == Quoting::double_quoted;
  return quoted && text.size() >= 2 ? text.substr(1, text.size() - 2) : text;
}

/// Why a scalar cannot be replaced as it stands; "" = it can.
std::string unwritable(const Document& document, NodeId value, std::string_view text) {
  if (!document.tag(value).empty()) return "the value carries a tag";
  const Quoting quoting = document.node(value).quoting;
  if (quoting == Quoting::literal || quoting == Quoting::folded) {
    return "the value is written as a block of lines";
  }
  if (document.format() == Format::shell && text != document.scalar(value)) {
    return "the value is put together by the script";
  }
  if (text.find_first_of("\n\r") != std::string_view::npos) {
    return "the value is written on several lines";
  }
  if (text.find("${") != std::string_view::npos || is_placeholder(text)) {
    return "the value is put together from references or the environment";
  }
  return {};
}

}  // namespace

bool same_key(std::string_view a, std::string_view b) {
  const auto plain = [](char c) {
    return c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return plain(x) == plain(y); });
}

bool leads_to(std::string_view pattern, const std::vector<std::string>& path) {
  const bool from_root = pattern.starts_with('/');
  if (from_root) pattern.remove_prefix(1);
  const std::vector<std::string_view> wanted = split(pattern, '.');
  if (wanted.size() > path.size() || (from_root && wanted.size() != path.size())) return false;
  return std::equal(wanted.rbegin(), wanted.rend(), path.rbegin(),
                    [](std::string_view component, const std::string& key) {
                      return same_key(component, key) || component_matches(component, key);
                    });
}

std::vector<std::string> path_of(const Document& document, NodeId node) {
  std::vector<std::string> path;
  for (NodeId id = node; id != kNoNode; id = document.node(id).parent) {
    const NodeId parent = document.node(id).parent;
    if (parent == kNoNode) break;
    const NodeId key = document.node(id).key;
    if (key != kNoNode) {
      path.emplace_back(document.scalar(document.resolve(key)));
      continue;
    }
    std::size_t number = 0;
    for (NodeId item = document.node(parent).first_child; item != id && item != kNoNode;
         item = document.node(item).next_sibling) {
      ++number;
    }
    path.push_back(std::to_string(number));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

NodeId member_at(const Document& document, const SourceSpan& span) {
  if (!span.known()) return kNoNode;
  for (NodeId id = 0; id < document.size(); ++id) {
    const NodeId key = document.node(id).key;
    if (key != kNoNode && document.span(key) == span) return id;
  }
  return kNoNode;
}

Result<FixPlace> place_of(const Document& document, const Provenance& from) {
  FixPlace place;
  place.value = scalar_at(document, from.span);
  if (place.value == kNoNode) return fail("the value is not a plain word or number");
  const NodeId read_by = member_at(document, from.key_span);
  place.read_by = read_by == kNoNode ? place.value : read_by;
  for (const NodeId node : {place.value, place.read_by}) {
    if (std::string why = shared_through(document, node); !why.empty()) {
      return fail(std::move(why));
    }
  }
  place.span = from.span;
  place.quoting = document.node(place.value).quoting;
  place.text = without_quotes(document.text_at(from.span), place.quoting);
  place.pointer = document.pointer(place.value);
  if (std::string why = unwritable(document, place.value, place.text); !why.empty()) {
    return fail(std::move(why));
  }
  return place;
}

}  // namespace gpulint
