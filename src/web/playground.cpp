#include "web/playground.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "edit/fix.h"
#include "finding/own_rules.h"
#include "lint/lint.h"
#include "memory/step_curve.h"
#include "report/diff_report.h"
#include "report/fit_report.h"
#include "report/json_text.h"
#include "report/report.h"
#include "review/diff.h"
#include "web/catalogue_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <utility>

namespace gpulint::web {
namespace {

/// A disk without files: all there is lies in buffers.
class NoFiles final : public FileReader {
 public:
  Result<std::string> read(const std::string& path, std::size_t) const override {
    return fail(Error{.message = "no such file", .file = path});
  }
  FileKind kind(const std::string& path) const override {
    return path == "." ? FileKind::directory : FileKind::missing;
  }
  Result<std::vector<DirectoryEntry>> list(const std::string&) const override {
    return std::vector<DirectoryEntry>();
  }
  std::string canonical(const std::string& path) const override { return normalize_path(path); }
};

/// Points of the curve over one step: as many as its picture has room for.
constexpr std::size_t kCurvePoints = 240;

std::string_view name_of(model::StepPhase phase) {
  return phase == model::StepPhase::forward ? "forward" : "backward";
}

/// Memory over one step, in bytes above what is there before it; null where it is not known.
Json curve_json(const PlanReport& plan) {
  const auto curve = plan.run ? step_curve(*plan.run, kCurvePoints) : std::nullopt;
  if (!curve) return nullptr;
  Json json = Json::array();
  for (const CurvePoint& point : *curve) {
    json.push_back({{"phase", name_of(point.phase)}, {"bytes", point.live.count()}});
  }
  return json;
}

/// A file that only adds to runs of other files has no memory and no time of its own.
bool describes_a_run(const FileReport& file, const Catalog& catalog) {
  if (file.plans.empty() || !file.part_of.empty()) return false;
  const auto dialect = std::find_if(catalog.dialects().begin(), catalog.dialects().end(),
                                    [&](const Dialect& each) { return each.id == file.dialect; });
  return dialect == catalog.dialects().end() || !dialect->supplement ||
         std::any_of(file.plans.begin(), file.plans.end(),
                     [](const PlanReport& plan) { return counts_network(plan.estimate); });
}

Result<void> check_targets(const PageRequest& request, const Catalog& catalog) {
  const auto check_gpu = [&](const std::string& name) -> Result<void> {
    if (catalog.find_gpu(name) != nullptr) return {};
    return fail(fmt::format("\"{}\" is not a known GPU{}", escape_for_display(name),
                            catalog.similar_gpus(name)));
  };
  if (request.options.gpu) {
    if (auto known = check_gpu(*request.options.gpu); !known) return known;
  }
  for (const std::string& gpu : request.gpus) {
    if (auto known = check_gpu(gpu); !known) return known;
  }
  const auto& host = request.options.host;
  if (host && catalog.find_host(*host) == nullptr) {
    return fail(fmt::format("\"{}\" is not a known machine{}", escape_for_display(*host),
                            catalog.similar_hosts(*host)));
  }
  return {};
}

LintRequest request_for(const PageRequest& page, const std::vector<PageFile>& files) {
  LintRequest request;
  request.paths = {"."};
  // Somebody looks at the files of a page: what cannot be read is reported, as of a file that is
  // named.
  for (const PageFile& file : files) {
    const bool settings =
        file.path.ends_with(".gpulint.yaml") || file.path.starts_with(".gpulint/");
    if (!settings && may_be_config(file.path)) request.paths.push_back(file.path);
  }
  request.options = page.options;
  request.today = page.today;
  return request;
}

Result<void> refuse_errors(const LintResult& result) {
  if (result.errors.empty()) return {};
  return fail(result.errors.front());
}

Result<std::string> check(const SessionView& session, const PageRequest& page) {
  const LintRequest request = request_for(page, page.files);
  LintResult result = lint(session, request);
  prove_fixes(session, request, result);
  // A broken .gpulint.yaml leaves the findings of all others standing.
  Json errors = Json::array();
  for (const Error& error : result.errors) errors.push_back(error.to_string());
  const Surroundings surroundings;
  return fmt::format("{{\"report\": {}, \"errors\": {}}}\n",
                     findings_json({result, session.catalog(), surroundings}), errors.dump());
}

Result<std::string> estimate(const SessionView& session, const PageRequest& page) {
  LintRequest request = request_for(page, page.files);
  request.options.keep_plans = true;
  request.options.suppose = true;
  LintResult result = lint(session, request);
  if (auto sound = refuse_errors(result); !sound) return fail(sound.error());
  std::erase_if(result.files,
                [&](const FileReport& file) { return !describes_a_run(file, session.catalog()); });
  Json curves = Json::array();
  for (const FileReport& file : result.files) {
    for (const PlanReport& plan : file.plans) curves.push_back(curve_json(plan));
  }
  return fmt::format("{{\"report\": {}, \"curves\": {}}}\n", estimate_json(result.files),
                     curves.dump());
}

/// What `gpulint explain` prints of a rule.
Result<std::string> explain(const Catalog& catalog, const std::string& id) {
  if (const OwnRule* own = own_rule(id)) {
    const auto [rule, manual] = described(*own);
    return json_text({{"rule", rule.id}, {"text", explain_text(rule, manual)}});
  }
  const Rule* rule = catalog.rule(id);
  if (rule == nullptr) return fail(fmt::format("\"{}\" is not a rule", escape_for_display(id)));
  return json_text({{"rule", rule->id}, {"text", explain_text(*rule, catalog.manual(*rule))}});
}

/// The file a request looks at: the one it names, else the first that describes a run.
Result<const FileReport*> file_of(const LintResult& result, const PageRequest& page,
                                  const Catalog& catalog) {
  for (const FileReport& file : result.files) {
    const bool named = page.config.empty() ? describes_a_run(file, catalog)
                                           : file.path == page.config && !file.dialect.empty();
    if (named) return &file;
  }
  if (page.config.empty()) return fail("no file describes a training run");
  return fail(Error{.message = "states no training run", .file = page.config});
}

Result<std::string> facts(const SessionView& session, const PageRequest& page) {
  LintRequest request = request_for(page, page.files);
  request.options.keep_plans = true;
  const LintResult result = lint(session, request);
  if (auto sound = refuse_errors(result); !sound) return fail(sound.error());
  const auto file = file_of(result, page, session.catalog());
  if (!file) return fail(file.error());
  return fmt::format("{{\"report\": {}}}\n", facts_json(**file, result, {}));
}

Result<std::string> fit(const SessionView& session, const PageRequest& page) {
  LintRequest request = request_for(page, page.files);
  request.options.keep_plans = true;
  const LintResult result = lint(session, request);
  if (auto sound = refuse_errors(result); !sound) return fail(sound.error());
  const auto file = file_of(result, page, session.catalog());
  if (!file) return fail(file.error());
  // A file with several phases: the first decides, as the largest of a run.
  const auto& plans = (*file)->plans;
  if (plans.empty()) return fail(Error{.message = "states no training run", .file = (*file)->path});
  const PlanReport& plan = plans.front();
  std::vector<const Gpu*> gpus;
  for (const std::string& name : page.gpus) gpus.push_back(session.catalog().find_gpu(name));
  if (gpus.empty()) gpus = session.catalog().gpus();
  const FitDetail detail = gpus.size() == 1 ? FitDetail::whole : FitDetail::matrix;
  std::vector<FitRow> rows;
  for (const Gpu* gpu : gpus) {
    if (!gpu->usable_memory) continue;
    const EstimateRequest asked{.run = plan.run->on({gpu, plan.host}),
                                .measurements = plan.measurements,
                                .headroom = plan.headroom};
    rows.push_back({gpu, gpulint::fit(asked, detail)});
  }
  return fmt::format("{{\"report\": {}}}\n", fit_json((*file)->path, rows));
}

/// Paths of files that are not the same in both versions. What a `.gpulint.yaml` says holds for
/// all.
std::vector<std::string> changed_paths(const PageRequest& page) {
  std::map<std::string, std::string_view> before;
  for (const PageFile& file : page.before) before[file.path] = file.text;
  std::vector<std::string> changed;
  for (const PageFile& file : page.files) {
    const auto old = before.find(file.path);
    if (old == before.end() || old->second != file.text) changed.push_back(file.path);
    if (old != before.end()) before.erase(old);
  }
  for (const auto& [path, text] : before) changed.push_back(path);
  const bool governs_all = std::any_of(changed.begin(), changed.end(), [](const std::string& path) {
    return path.ends_with(".gpulint.yaml");
  });
  if (!governs_all) return changed;
  for (const auto* files : {&page.files, &page.before}) {
    for (const PageFile& file : *files) changed.push_back(file.path);
  }
  return changed;
}

Result<std::string> diff(const SessionView& session, const PageRequest& page,
                         const FileReader& disk) {
  Buffers buffers;
  for (const PageFile& file : page.before) {
    buffers[file.path] = std::make_shared<const Buffer>(Buffer{file.path, file.text});
  }
  const BufferedFiles before(disk, std::move(buffers));
  const DiffRequest asked{.before = {session.over(before), request_for(page, page.before)},
                          .after = {session, request_for(page, page.files)},
                          .base = "before",
                          .head = "after",
                          .changes = ChangeSet(changed_paths(page)),
                          .renames = {},
                          .gpus = page.gpus};
  const DiffResult result = gpulint::diff(asked);
  if (!result.errors.empty()) return fail(result.errors.front());
  Json rows = Json::array();
  for (const ConfigDiff& config : result.configs) {
    Json quantities = Json::array();
    for (const DiffRow& row : diff_rows(config)) {
      quantities.push_back({{"name", row.name},
                            {"before", row.before},
                            {"after", row.after},
                            {"change", row.change}});
    }
    rows.push_back({{"title", diff_title(config)},
                    {"rows", std::move(quantities)},
                    {"unknown", diff_unknown(config)}});
  }
  return fmt::format("{{\"report\": {}, \"configs\": {}}}\n", diff_json(result), rows.dump());
}

std::string error_json(const Error& error) { return json_text(Json{{"error", error.to_string()}}); }

}  // namespace

Playground::Playground(std::unique_ptr<const FileReader> disk, Session session)
    : disk_(std::move(disk)), session_(std::move(session)) {}

Result<Playground> Playground::open() {
  auto disk = std::make_unique<const NoFiles>();
  auto session = Session::open(*disk);
  if (!session) return fail(std::move(session).error());
  return Playground(std::move(disk), std::move(*session));
}

void Playground::hold(const std::vector<PageFile>& files) {
  for (const std::string& path : held_) session_.close_buffer(path);
  held_.clear();
  for (const PageFile& file : files) {
    session_.set_buffer(file.path, file.text);
    held_.push_back(file.path);
  }
}

std::string Playground::answer(std::string_view request) {
  // The last catch of a page, as that of `main`: what is thrown here is a mistake of ours.
  try {
    const auto page = read_request(request);
    if (!page) return error_json(page.error());
    auto text = answer(*page);
    return text ? std::move(*text) : error_json(text.error());
  } catch (const std::exception& error) {
    return error_json(Error{.message = fmt::format("internal error: {}", error.what())});
  }
}

Result<std::string> Playground::answer(const PageRequest& request) {
  const auto known = check_targets(request, session_.now().catalog());
  if (!known) return fail(known.error());
  hold(request.files);
  const SessionView view = session_.now();
  switch (request.ask) {
    case Ask::catalogue:
      return catalogue_json(view.catalog());
    case Ask::check:
      return check(view, request);
    case Ask::explain:
      return explain(view.catalog(), request.rule);
    case Ask::facts:
      return facts(view, request);
    case Ask::estimate:
      return estimate(view, request);
    case Ask::fit:
      return fit(view, request);
    case Ask::diff:
      return diff(view, request, *disk_);
  }
  return fail("nothing was asked");
}

}  // namespace gpulint::web
