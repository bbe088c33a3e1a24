// `gpulint diff`: what a change does to memory, time, cost and learning rate.

#include "review/diff.h"

#include "base/text.h"
#include "cli/commands.h"
#include "cli/git_scope.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "report/diff_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace gpulint::cli {
namespace {

/// Both ends of the change.
struct Ends {
  GitSide from;
  GitSide to;
};

/// `A..B` and `A...B` as git means them; a lone A is where the working branch left A, so that what
/// others did there since is not part of the change.
Result<Ends> ends_of(const GitRepository& repository, const ReviewArguments& review) {
  Ends ends;
  ends.to = review.staged ? GitSide{GitSide::Kind::index, "", "the index"}
                          : GitSide{GitSide::Kind::working_tree, "", "the working files"};
  const std::string& base = review.base;
  const std::size_t dots = base.find("..");
  const auto or_head = [](std::string name) { return name.empty() ? "HEAD" : std::move(name); };
  Result<GitSide> from = repository.head();
  if (dots != std::string::npos) {
    if (review.staged)
      return fail("--staged: a range of commits leaves out what is staged; name one commit");
    const bool forked = base.substr(dots).starts_with("...");
    const std::string first = or_head(base.substr(0, dots));
    const std::string second = or_head(base.substr(dots + (forked ? 3 : 2)));
    auto to = repository.commit(second);
    if (!to) return fail(std::move(to).error());
    ends.to = std::move(*to);
    from = forked ? repository.merge_base(first, second) : repository.commit(first);
    if (from) from->name = first;
  } else if (!base.empty()) {
    from = repository.commit(base);
    if (!from) return fail(std::move(from).error());
    const auto fork = repository.merge_base(base, "HEAD");
    if (fork) from->object = fork->object;
  }
  if (!from) return fail(std::move(from).error());
  ends.from = std::move(*from);
  return ends;
}

/// The files of one end where git has them; nullptr: those of the session.
Result<std::unique_ptr<GitReader>> files_of(const GitRepository& repository, const GitSide& side) {
  if (side.kind == GitSide::Kind::working_tree) return std::unique_ptr<GitReader>();
  auto entries = repository.entries(side);
  if (!entries) return fail(std::move(entries).error());
  return std::make_unique<GitReader>(repository, std::move(*entries));
}

DiffEnd end_over(const SessionView& session, const GitReader* git, const LintRequest& request) {
  return {git == nullptr ? session : session.over(*git), request};
}

/// Paths that exist on this end; those that exist on neither are wrong.
Result<void> keep_existing(DiffEnd& before, DiffEnd& after) {
  const auto is_missing = [](const DiffEnd& end, const std::string& path) {
    return end.session.files().kind(path) == FileKind::missing;
  };
  for (const std::string& path : before.request.paths) {
    const bool missing = is_missing(before, path) && is_missing(after, path);
    if (missing) {
      return fail(
          Error{.message = "is on neither side of the change; check the path", .file = path});
    }
  }
  for (DiffEnd* end : {&before, &after}) {
    std::erase_if(end->request.paths,
                  [&](const std::string& path) { return is_missing(*end, path); });
  }
  return {};
}

template <class T, class Read, class Amount>
void judge(const std::optional<Growth<T>>& limit, std::string_view what, const Read& read,
           const Amount& amount_of, DiffResult& result) {
  if (!limit) return;
  for (const ConfigDiff& config : result.configs) {
    if (!config.after) continue;  // what is gone costs nothing
    const std::string title = diff_title(config);
    if (!config.before) {
      result.unjudged.push_back(
          fmt::format("{}: {}: there is nothing to compare with", title, what));
      continue;
    }
    const std::optional<double> before = read(*config.before);
    const std::optional<double> after = read(*config.after);
    if (!before || !after) {
      result.unjudged.push_back(fmt::format("{}: {} is not known on both sides", title, what));
      continue;
    }
    const double most = limit->share ? *before * *limit->share : amount_of(limit->amount);
    if (*after - *before <= most) continue;
    result.exceeded.push_back(
        fmt::format("{}: {} grows by more than {}", title, what, limit->text));
  }
}

void judge_limits(const ReviewArguments& review, DiffResult& result) {
  judge(
      review.max_vram_increase, "peak VRAM",
      [](const DiffSide& side) -> std::optional<double> {
        if (!side.vram || side.vram_is_lower_bound) return std::nullopt;
        return side.vram->central.as_double();
      },
      [](Bytes amount) { return amount.as_double(); }, result);
  judge(
      review.max_cost_increase, "cost",
      [](const DiffSide& side) -> std::optional<double> {
        if (!side.cost) return std::nullopt;
        return side.cost->central.dollars;
      },
      [](Money amount) { return amount.dollars; }, result);
}

bool fails(const DiffResult& result, const Arguments& arguments) {
  if (!result.exceeded.empty()) return true;
  return arguments.fail_on &&
         std::any_of(result.findings.begin(), result.findings.end(), [&](const auto& each) {
           return each.severity >= *arguments.fail_on &&
                  (each.is_new || !arguments.review.new_findings_only);
         });
}

/// What was changed between two ends, and what is asked of it.
struct Comparison {
  const GitRepository& repository;
  const SessionView& session;
  const LintRequest& request;
  Ends ends;
  std::vector<std::string> gpus = {};
  /// Files that count as changed whatever git says: an editor holds another text.
  std::vector<std::string> edited = {};
};

Result<DiffResult> compare(const Comparison& asked_for) {
  const GitRepository& repository = asked_for.repository;
  const Ends& ends = asked_for.ends;
  const auto changes = repository.changes(ends.from, ends.to);
  if (!changes) return fail(changes.error());
  note_submodules(*changes);
  const auto before = files_of(repository, ends.from);
  if (!before) return fail(before.error());
  const auto after = files_of(repository, ends.to);
  if (!after) return fail(after.error());
  std::vector<std::string> changed = canonical_paths(repository, *changes);
  changed.insert(changed.end(), asked_for.edited.begin(), asked_for.edited.end());
  DiffRequest asked{.before = end_over(asked_for.session, before->get(), asked_for.request),
                    .after = end_over(asked_for.session, after->get(), asked_for.request),
                    .base = ends.from.name,
                    .head = ends.to.name,
                    .changes = ChangeSet(std::move(changed)),
                    .renames = {},
                    .gpus = asked_for.gpus};
  for (const GitChange& change : *changes) {
    if (change.kind != GitChange::Kind::renamed) continue;
    asked.renames.emplace(repository.root() + "/" + change.path,
                          repository.root() + "/" + change.old_path);
  }
  if (auto kept = keep_existing(asked.before, asked.after); !kept) return fail(kept.error());
  return gpulint::diff(asked);
}

Result<DiffResult> compare(const Arguments& arguments, Session& session) {
  auto request = lint_request(arguments, session);
  if (!request) return fail(std::move(request).error());
  const auto repository = GitRepository::open();
  if (!repository) return fail(repository.error());
  auto ends = ends_of(*repository, arguments.review);
  if (!ends) return fail(ends.error());
  return compare({.repository = *repository,
                  .session = session,
                  .request = *request,
                  .ends = *std::move(ends),
                  .gpus = arguments.gpus});
}

}  // namespace

Result<std::string> diff_to_head(const SessionView& session, const LintRequest& request,
                                 const std::string& path) {
  const auto repository = GitRepository::open(path.substr(0, path.rfind('/')));
  if (!repository) return fail(repository.error());
  auto ends = ends_of(*repository, {});
  if (!ends) return fail(ends.error());
  LintRequest of_file = request;
  of_file.paths = {path};
  const auto result = compare({.repository = *repository,
                               .session = session,
                               .request = of_file,
                               .ends = *std::move(ends),
                               .edited = {session.files().canonical(path)}});
  if (!result) return fail(result.error());
  if (!result->errors.empty()) return fail(result->errors.front());
  return diff_text(*result, {});
}

int diff(const Arguments& arguments, Session& session) {
  auto result = compare(arguments, session);
  if (!result) {
    print_error(result.error());
    return kUsage;
  }
  judge_limits(arguments.review, *result);
  int code = fails(*result, arguments) ? kFindings : kClean;
  const bool written =
      write_outputs(arguments, [&](const OutputFormat& format, const ReportOptions& options) {
        return format.diff(*result, options);
      });
  if (!written) code = kUsage;
  for (const Error& error : result->errors) {
    print_error(error);
    code = kUsage;
  }
  return code;
}

}  // namespace gpulint::cli
