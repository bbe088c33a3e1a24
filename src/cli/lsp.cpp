// `gpulint lsp`: the language server.

#include "cli/commands.h"
#include "cli/lint_request.h"
#include "lsp/serve.h"

#include <optional>
#include <unistd.h>

namespace gpulint::cli {

int lsp(const Arguments& arguments, const FileReader& disk) {
  return gpulint::lsp::serve(disk,
                             {.data_folder = arguments.data,
                              .today = [] { return std::optional<Date>(today()); },
                              .diff_to_head = diff_to_head},
                             STDIN_FILENO, STDOUT_FILENO);
}

}  // namespace gpulint::cli
