#pragma once

#include "host/host_part.h"

#include <string>
#include <vector>

namespace gpulint::probe {

/// How long a Python takes to start, to import torch, and to fork a process that answers. `python`:
/// an absolute path; "" = there is none, and `why` says so.
void measure_python(const std::string& python, const std::string& why, const PartWriter& writer);

struct PythonChoice {
  std::string path;  // "" = none
  std::string why;   // of none
};
/// The named one, else that of a virtual environment, else python3 on `search_path` (PATH). One
/// inside `linted_folder` is not started unless it was named: it comes with files under review.
PythonChoice find_python(const std::string& named, const std::string& virtual_env,
                         std::string_view search_path, const std::string& linted_folder);

/// Adds what the measuring script printed in one line. False: it is no line of its own.
bool read_python_line(std::string_view line, const PartWriter& writer);

}  // namespace gpulint::probe
