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

Result<DiffResult> compare(const Arguments& arguments, Session& session) {
  auto request = lint_request(arguments, session);
  if (!request) return fail(std::move(request).error());
  const auto repository = GitRepository::open();
  if (!repository) return fail(repository.error());
  const auto ends = ends_of(*repository, arguments.review);
  if (!ends) return fail(ends.error());
  const auto changes = repository->changes(ends->from, ends->to);
  if (!changes) return fail(changes.error());
  note_submodules(*changes);
  const auto before = files_of(*repository, ends->from);
  if (!before) return fail(before.error());
  const auto after = files_of(*repository, ends->to);
  if (!after) return fail(after.error());
  DiffRequest asked{.before = end_over(session, before->get(), *request),
                    .after = end_over(session, after->get(), *request),
                    .base = ends->from.name,
                    .head = ends->to.name,
                    .changes = ChangeSet(canonical_paths(*repository, *changes)),
                    .renames = {},
                    .gpus = arguments.gpus};
  for (const GitChange& change : *changes) {
    if (change.kind != GitChange::Kind::renamed) continue;
    asked.renames.emplace(repository->root() + "/" + change.path,
                          repository->root() + "/" + change.old_path);
  }
  if (auto kept = keep_existing(asked.before, asked.after); !kept) return fail(kept.error());
  return gpulint::diff(asked);
}

}  // namespace

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
