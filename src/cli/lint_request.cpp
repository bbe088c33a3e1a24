#include "cli/lint_request.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/output.h"
#include "finding/own_rules.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace gpulint::cli {
namespace {

Result<void> check_gpu(const Catalog& catalog, const std::string& name) {
  if (catalog.find_gpu(name) != nullptr) return {};
  const std::vector<const Gpu*> same_name = catalog.gpus_named(name);
  if (same_name.size() > 1) {
    std::vector<std::string> ids;
    for (const Gpu* gpu : same_name) ids.push_back(gpu->id);
    return fail(fmt::format("--gpu: \"{}\" is the name of several GPUs; write one of {}", name,
                            join(ids, ", ")));
  }
  return fail(fmt::format("--gpu: \"{}\" is not a known GPU{}; gpulint list gpus shows all", name,
                          catalog.similar_gpus(name)));
}

/// A machine holds the GPUs it was built with: another card in it is a mistake in the command.
Result<void> check_pair(const Catalog& catalog, const Arguments& arguments) {
  if (!arguments.host || arguments.gpus.empty()) return {};
  const Host& host = *catalog.find_host(*arguments.host);
  if (host.gpu.empty()) return {};
  const bool holds = std::any_of(
      arguments.gpus.begin(), arguments.gpus.end(),
      [&](const std::string& name) { return catalog.mismatch(name, *arguments.host).empty(); });
  if (holds) return {};
  return fail(fmt::format("--host: {} has {} x {}, not {}; leave out --gpu or --host", host.id,
                          host.gpu_count.value_or(1), host.gpu, join(arguments.gpus, ", ")));
}

/// The ids that rules and families of rules stand for.
Result<std::vector<std::string>> rules_meant(const Catalog& catalog, std::string_view option,
                                             const std::vector<std::string>& names) {
  std::vector<std::string> ids;
  for (const std::string& name : names) {
    const std::size_t before = ids.size();
    for (const Rule& rule : catalog.rules()) {
      if (rule.family == name) ids.push_back(rule.id);
    }
    if (ids.size() != before) continue;
    if (auto known = check_rule_id(catalog, name); !known) {
      return fail(fmt::format("{}: {}", option, known.error().message));
    }
    ids.push_back(name);
  }
  return ids;
}

/// `option`: that named it.
Result<void> check_host(const Catalog& catalog, const std::string& name, std::string_view option) {
  if (catalog.find_host(name) != nullptr) return {};
  return fail(fmt::format("{}: \"{}\" is not a known machine{}; gpulint list hosts shows all",
                          option, name, catalog.similar_hosts(name)));
}

/// What somebody may have meant: a fact spelt nearly so, or those whose last words are these.
std::string facts_like(std::string_view name) {
  std::vector<std::string_view> names;
  std::vector<std::string> longer;
  for (const FactRow& each : fact_table()) {
    names.push_back(each.name);
    if (each.name.ends_with("_" + std::string(name))) longer.emplace_back(each.name);
  }
  const std::string near = did_you_mean(name, names);
  return !near.empty() || longer.empty() ? near
                                         : fmt::format(" (write one of {})", join(longer, ", "));
}

Result<void> check_fact(const Catalog& catalog, const std::string& name, const std::string& text) {
  const FactRow* row = find_fact(name);
  if (row == nullptr) {
    return fail(fmt::format(
        "--set: \"{0}\" is not a fact{1}; gpulint list facts shows all; +{0}={2} changes "
        "the config instead",
        name, facts_like(name), text));
  }
  TrainingPlan scratch;
  std::string why;
  if (set_fact(scratch, *row, text, {.origin = Origin::project}, &why)) {
    why = misspelt_word(*row, text, catalog);
    if (why.empty()) return {};
  }
  return fail(fmt::format("--set: {}={}: {}", name, text, why));
}

Result<void> check_names(const Arguments& arguments, const Catalog& catalog) {
  for (const std::string& gpu : arguments.gpus) {
    if (auto known = check_gpu(catalog, gpu); !known) return known;
  }
  if (arguments.host) {
    const char* const option = arguments.command == Command::confirm ? "--target" : "--host";
    if (auto known = check_host(catalog, *arguments.host, option); !known) return known;
  }
  if (auto known = check_pair(catalog, arguments); !known) return known;
  for (const auto& [name, text] : arguments.facts) {
    if (auto known = check_fact(catalog, name, text); !known) return known;
  }
  if (arguments.explain_silence) return check_rule_id(catalog, *arguments.explain_silence);
  return {};
}

}  // namespace

Date today() {
  return Date{std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
}

Result<void> check_rule_id(const Catalog& catalog, std::string_view id) {
  if (catalog.rule(id) != nullptr) return {};
  std::vector<std::string_view> ids;
  for (const OwnRule& own : own_rules()) ids.push_back(own.id);
  for (const Rule& rule : catalog.rules()) ids.push_back(rule.id);
  return fail(fmt::format("\"{}\" is not a rule{}; gpulint list rules shows all", id,
                          did_you_mean(id, ids)));
}

std::optional<std::string> standard_input_path(const Arguments& arguments) {
  if (std::count(arguments.paths.begin(), arguments.paths.end(), "-") == 0) return std::nullopt;
  const std::string& name = arguments.stdin_filename;
  return name.empty() ? "<stdin>" : normalize_path(name);
}

Result<LintRequest> lint_request(const Arguments& arguments, Session& session) {
  if (auto known = check_names(arguments, session.now().catalog()); !known) {
    return fail(std::move(known).error());
  }
  LintRequest request;
  request.paths = arguments.paths;
  request.today = today();
  LintOptions& options = request.options;
  if (!arguments.gpus.empty()) options.gpu = arguments.gpus.front();
  options.use_measured = arguments.measured;
  options.local_gpu = arguments.local_gpu;
  options.host = arguments.host;
  options.facts = arguments.facts;
  options.default_facts = arguments.default_facts;
  options.overrides = arguments.overrides;
  request.runs = arguments.runs;
  options.jobs = arguments.jobs;
  options.read_code = !arguments.no_code;
  options.previews = arguments.previews;
  options.force_exclude = arguments.force_exclude;
  auto select = rules_meant(session.now().catalog(), "--select", arguments.select);
  if (!select) return fail(std::move(select).error());
  options.select = *std::move(select);
  auto ignore = rules_meant(session.now().catalog(), "--ignore", arguments.ignore);
  if (!ignore) return fail(std::move(ignore).error());
  options.ignore = *std::move(ignore);
  options.explain_silence = arguments.explain_silence.has_value();
  const std::optional<std::string> input = standard_input_path(arguments);
  if (!input && !arguments.stdin_filename.empty()) {
    return fail("--stdin-filename: standard input is not read; add the path -");
  }
  if (input) {
    auto text = read_standard_input(options.limits.max_bytes);
    if (!text) return fail(std::move(text).error());
    session.set_buffer(*input, std::move(*text));
    std::erase(request.paths, "-");
    request.paths.push_back(*input);
  }
  return request;
}

bool print_errors(const LintResult& result) {
  for (const Error& error : result.errors) print_error(error);
  return !result.errors.empty();
}

}  // namespace gpulint::cli
