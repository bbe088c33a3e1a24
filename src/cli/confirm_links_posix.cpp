#include "cli/commands.h"
#include "cli/confirm_config.h"
#include "cli/confirm_links.h"
#include "cli/measure_request.h"
#include "cli/measured_files.h"
#include "cli/output.h"
#include "probe/link_checks.h"
#include "probe/node_confirmation.h"
#include "report/report.h"

#include <cstdlib>
#include <optional>

namespace gpulint::cli {
namespace {

void judge_node(const std::optional<ConfirmedConfig>& config, const Catalog& catalog,
                probe::NodeConfirmation& confirmation) {
  const auto* node = std::get_if<probe::NodeReport>(&confirmation.outcome);
  if (node == nullptr || node->cards.empty()) return;
  const probe::DeviceReport& first = node->cards.front().device;
  const Gpu* gpu = catalog.find_gpu(first.name, first.nvml_total);
  if (gpu != nullptr) confirmation.gpu_id = gpu->id;
  confirmation.checks = probe::check_links(*node, gpu);
  confirmation.stands_out = probe::node_outliers(*node);
  if (!config) return;
  confirmation.config = config->name;
  const auto exchanges = exchanges_for(*config, gpu, confirmation.not_judged);
  for (probe::Check& check : probe::check_exchanges(*node, exchanges, confirmation.not_judged)) {
    confirmation.checks.push_back(std::move(check));
  }
}

}  // namespace

int confirm_links(const Arguments& arguments, const FileReader& disk, Session& session) {
  const SessionView view = session.now();
  std::optional<ConfirmedConfig> config;
  if (!arguments.paths.empty() || !arguments.runs.empty()) {
    auto read = read_confirmed(arguments, session);
    if (!read) {
      print_error(read.error());
      return kUsage;
    }
    config = std::move(*read);
  }
  const probe::RankFacts facts = place_in_job();
  const probe::JobPlace place = probe::job_place(
      [](const char* variable) { return std::getenv(variable); }, facts, arguments.meet);
  probe::NodeConfirmation confirmation;
  confirmation.outcome = probe::measure_links(measure_request(arguments, disk, facts), place);
  judge_node(config, view.catalog(), confirmation);
  const auto* node = std::get_if<probe::NodeReport>(&confirmation.outcome);
  const bool measured = node != nullptr;
  const int code = probe::exit_code_of(confirmation);
  // The processes of a job found the same: the first one says it, unless it may be gone.
  if (place.rank > 0 && measured && confirmation.stands_out.empty() && node->cut_off.empty()) {
    return code;
  }
  const bool written =
      write_outputs(arguments, [&](const OutputFormat& format, const ReportOptions&) {
        if (measured && format.syntax != Syntax::plain) print_note(probe::kNotValidated);
        return format.confirm_links(confirmation);
      });
  if (arguments.save) save_links(confirmation, disk, view.catalog());
  return written ? code : kUsage;
}

}  // namespace gpulint::cli
