#pragma once

#include <string>
#include <string_view>

namespace gpulint {

/// By its name: a Jupyter notebook.
bool is_notebook(std::string_view path);

/// The code cells of a notebook as one Python module of as many bytes, each byte of code where the
/// notebook has it. Commands to the notebook itself (`%`, `!`) are left out. Blank where the text
/// is no notebook.
std::string notebook_module(std::string_view text);

}  // namespace gpulint
