#include "lint/target.h"

#include "catalog/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace gpulint {
namespace {

/// What one place says about the hardware.
struct Statement {
  std::string_view place;
  std::optional<std::string> gpu;
  std::optional<std::string> host;
};

std::optional<std::string> text_of(const Maybe<std::string>& fact) {
  if (!fact) return std::nullopt;
  return fact->value;
}

void add_figures(Target& target, const SessionView& session, const LintOptions& options,
                 const FileSettings& settings) {
  if (target.gpu == nullptr) return;
  const bool wanted = options.use_measured || settings.measured.value_or(false) ||
                      options.local_gpu == target.gpu->id;
  if (wanted) target.gpu = with_measured(target.gpu, session.measured());
  target.reason += "; hardware figures: " + figures_from(*target.gpu);
}

}  // namespace

const Gpu* with_measured(const Gpu* gpu, std::span<const Gpu> measured) {
  const auto found = std::find_if(measured.begin(), measured.end(),
                                  [gpu](const Gpu& each) { return each.id == gpu->id; });
  return found == measured.end() ? gpu : &*found;
}

Target resolve_target(const SessionView& session, const LintOptions& options,
                      const TrainingPlan& plan, const FileSettings& settings) {
  const Catalog& catalog = session.catalog();
  const std::array<Statement, 3> statements{
      Statement{"the command line", options.gpu, options.host},
      Statement{"the config", text_of(plan.gpu), text_of(plan.host)},
      Statement{settings.file, settings.gpu, settings.host}};
  std::optional<Bytes> memory;
  if (plan.gpu_memory) memory = plan.gpu_memory->value;

  Target target;
  bool gpu_named = false;
  std::string unknown;
  for (const Statement& statement : statements) {
    if (statement.host && target.host == nullptr) {
      const Host* host = catalog.find_host(*statement.host);
      if (host == nullptr) {
        unknown = fmt::format("{} names host \"{}\", which is not in the database", statement.place,
                              *statement.host);
      } else if (target.gpu == nullptr || host->gpu == target.gpu->id) {
        target.host = host;
        if (target.reason.empty()) target.reason = fmt::format("named by {}", statement.place);
      }
    }
    if (statement.gpu && !gpu_named && target.gpu == nullptr) {
      target.gpu = catalog.find_gpu(*statement.gpu, memory);
      gpu_named = target.gpu != nullptr;
      if (!gpu_named) {
        unknown = fmt::format(
            "{} names GPU \"{}\", which is not in the database or has several "
            "memory sizes",
            statement.place, *statement.gpu);
      } else if (target.reason.empty()) {
        target.reason = fmt::format("named by {}", statement.place);
      }
    }
    if (target.gpu == nullptr && target.host != nullptr && !target.host->gpu.empty()) {
      target.gpu = catalog.gpu(target.host->gpu);
    }
  }
  add_figures(target, session, options, settings);
  if (target.reason.empty()) target.reason = unknown.empty() ? "no target is named" : unknown;
  return target;
}

}  // namespace gpulint
