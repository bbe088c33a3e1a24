#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpulint::python {

/// Names that Python source uses, as views into it: identifiers, and string literals that hold
/// nothing but one, a dotted path of them or a flag (`"train.lr"` gives both parts, `"--lr"` one).
/// Words of comments and of prose in strings are left out. Not sorted, repeated as they occur.
std::vector<std::string_view> words_of(std::string_view source);

/// The source with spaces for what only speaks of things: comments, docstrings, and the arguments
/// of `isinstance`. As long as the source.
std::string acting_text(std::string_view source);

}  // namespace gpulint::python
