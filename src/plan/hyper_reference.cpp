// HyperPyYAML's references: `<name>` stands for the value of a key, `<name[key]>` for one below it,
// and what stands around them is Python arithmetic over numbers (hyperpyyaml/core.py:
// recursive_resolve, parse_arithmetic). A reference in an included file means keys of that file.

#include "plan/hyper_reference.h"

#include "base/text.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gpulint {
namespace {

constexpr int kMostLevels = 8;  // of names that name names, and of parentheses
constexpr int kMostNames =
    256;  // looked up for one reference: expressions may double at each level

/// The top of the file a node is written in: where its pointer starts.
NodeId own_root(const Document& document, NodeId id) {
  const std::string pointer = document.pointer(id);
  const auto levels = static_cast<std::size_t>(std::count(pointer.begin(), pointer.end(), '/'));
  NodeId at = id;
  for (std::size_t level = 0; level < levels && at != kNoNode; ++level) {
    at = document.node(at).parent;
  }
  return at;
}

class HyperReader {
 public:
  explicit HyperReader(const Document& document) : document_(document) {}

  HyperTarget target(NodeId reference, int level) {
    const std::string_view text = trim(document_.scalar(reference));
    if (level > kMostLevels || text.empty()) return {};
    const bool is_one_name = text.front() == '<' && text.find('>') == text.size() - 1;
    if (!is_one_name) {
      const std::optional<double> value = Arithmetic(*this, reference, text, level).value();
      return value ? HyperTarget{kNoNode, fmt::format("{}", *value)} : HyperTarget{};
    }
    const NodeId named = find(reference, text.substr(1, text.size() - 2));
    if (named == kNoNode) return {};
    return is_hyper_reference(document_, named) ? target(named, level + 1) : HyperTarget{named};
  }

 private:
  /// `a` or `a[b][c]` from the top of the file that holds the reference; only scalars.
  NodeId find(NodeId reference, std::string_view name) {
    if (++asked_ > kMostNames) return kNoNode;
    NodeId at = own_root(document_, reference);
    for (std::string_view part : split(name, '[')) {
      if (part.ends_with(']')) part.remove_suffix(1);
      if (at == kNoNode || document_.kind(at) != NodeKind::mapping) return kNoNode;
      const NodeId found = document_.find(at, part);
      at = found == kNoNode ? kNoNode : document_.resolve(found);
    }
    return at != kNoNode && document_.kind(at) == NodeKind::scalar ? at : kNoNode;
  }

  std::optional<double> number(NodeId reference, std::string_view name, int level) {
    const NodeId named = find(reference, name);
    if (named == kNoNode) return std::nullopt;
    if (!is_hyper_reference(document_, named)) return lenient_number(document_.scalar(named));
    const HyperTarget end = target(named, level + 1);
    if (end.number) return lenient_number(*end.number);
    return end.node == kNoNode ? std::nullopt : lenient_number(document_.scalar(end.node));
  }

  /// Sums of products of powers of numbers, names and parentheses, as Python orders them.
  class Arithmetic {
   public:
    Arithmetic(HyperReader& reader, NodeId reference, std::string_view text, int level)
        : reader_(reader), reference_(reference), rest_(text), level_(level) {}

    std::optional<double> value() {
      const std::optional<double> result = sum(0);
      return rest_.empty() && result && std::isfinite(*result) ? result : std::nullopt;
    }

   private:
    bool take(std::string_view word) {
      if (!rest_.starts_with(word)) return false;
      rest_ = trim(rest_.substr(word.size()));
      return true;
    }

    std::optional<double> sum(int depth) {
      std::optional<double> left = product(depth);
      while (left) {
        const bool plus = take("+");
        if (!plus && !take("-")) break;
        const std::optional<double> right = product(depth);
        left = right ? std::optional(plus ? *left + *right : *left - *right) : std::nullopt;
      }
      return left;
    }

    std::optional<double> product(int depth) {
      std::optional<double> left = power(depth);
      while (left && !rest_.starts_with("**")) {
        const bool floors = take("//");
        const bool divides = floors || take("/");
        const bool remains = !divides && take("%");
        if (!divides && !remains && !take("*")) break;
        const std::optional<double> right = power(depth);
        if (!right || ((divides || remains) && *right == 0)) return std::nullopt;
        if (floors) {
          left = std::floor(*left / *right);
        } else if (divides) {
          left = *left / *right;
        } else {
          left = remains ? *left - *right * std::floor(*left / *right) : *left * *right;
        }
      }
      return left;
    }

    std::optional<double> power(int depth) {
      const std::optional<double> base = atom(depth);
      if (!base || !take("**")) return base;
      const std::optional<double> exponent = atom(depth);
      return exponent ? std::optional(std::pow(*base, *exponent)) : std::nullopt;
    }

    std::optional<double> atom(int depth) {
      if (depth > kMostLevels) return std::nullopt;
      if (take("-")) {
        const std::optional<double> negated = atom(depth + 1);
        return negated ? std::optional(-*negated) : std::nullopt;
      }
      if (take("(")) {
        const std::optional<double> inner = sum(depth + 1);
        return take(")") ? inner : std::nullopt;
      }
      if (rest_.starts_with('<')) {
        const std::size_t end = rest_.find('>');
        if (end == std::string_view::npos) return std::nullopt;
        const std::string_view name = rest_.substr(1, end - 1);
        rest_ = trim(rest_.substr(end + 1));
        return reader_.number(reference_, name, level_);
      }
      std::size_t end = rest_.find_first_not_of("0123456789._");
      if (end == 0) return std::nullopt;
      const std::string_view digits = rest_.substr(0, end);
      rest_ = trim(rest_.substr(digits.size()));
      return lenient_number(digits);
    }

    HyperReader& reader_;
    NodeId reference_;
    std::string_view rest_;
    int level_;
  };

  const Document& document_;
  int asked_ = 0;
};

}  // namespace

bool is_hyper_reference(const Document& document, NodeId scalar) {
  const std::string_view tag = document.tag(scalar);
  return document.kind(scalar) == NodeKind::scalar && (tag == "!ref" || tag == "!copy");
}

HyperTarget resolve_hyper_reference(const Document& document, NodeId reference) {
  return HyperReader(document).target(reference, 0);
}

}  // namespace gpulint
