#pragma once

#include "python/syntax.h"

#include <cstdint>
#include <string_view>

namespace gpulint {

/// What a comment alone on its line stands above in Python: a statement with its body, an argument,
/// a member of a dict, an item of a list.
class PythonEntries {
 public:
  /// `text` must outlive it.
  explicit PythonEntries(std::string_view text) : tree_(python::parse(text)) {}

  /// Byte behind the largest of these that starts at `begin`; `begin` itself where none does.
  std::uint32_t end_of(std::uint32_t begin) const;

 private:
  /// A decorated function or class begins with its first decorator.
  std::uint32_t begin_of(python::SyntaxId id) const;

  python::SyntaxTree tree_;
};

}  // namespace gpulint
