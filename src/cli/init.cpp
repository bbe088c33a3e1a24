// `gpulint init`: proposes the project file of a folder of configs.

#include "review/init.h"

#include "cli/commands.h"
#include "cli/output.h"

#include <fmt/format.h>

namespace gpulint::cli {

int init(const Arguments& arguments, const FileReader& disk, const SessionView& session) {
  constexpr const char* kFile = ".gpulint.yaml";
  const bool second = disk.kind(std::string(kProjectFileName2)) != FileKind::missing;
  const std::string there(second ? kProjectFileName2 : kProjectFileName);
  if (!arguments.to_stdout && !arguments.force && disk.kind(there) != FileKind::missing) {
    print_error(
        fmt::format("{} exists; --stdout shows the proposal, --force replaces the file", there));
    return kUsage;
  }
  const InitProposal proposal = propose_project(session, {.paths = arguments.paths});
  for (const Error& error : proposal.errors) print_error(error);
  if (!proposal.errors.empty()) return kUsage;
  OutputTarget target;
  if (!arguments.to_stdout) target.path = kFile;
  if (auto written = write_results(target, proposal.text); !written) {
    print_error(written.error());
    return kUsage;
  }
  if (!arguments.to_stdout) {
    print_note(fmt::format("wrote {}; read it before you commit it", kFile));
  }
  return kClean;
}

}  // namespace gpulint::cli
