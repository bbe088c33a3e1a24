#pragma once

// Whether the Python files of a project have what a dotted path names (`models.vit.ViT`).

#include <string>
#include <string_view>

namespace gpulint {

class CodeBase;

struct DottedName {
  bool is_absent = false;      // it names a package of the project, which does not have it
  std::string where = {};      // the file that would have to; "" = there is no such module
  std::string elsewhere = {};  // the one dotted path that has it, "" = none or several
};

DottedName look_up(CodeBase& code, const std::string& root, std::string_view dotted);

}  // namespace gpulint
