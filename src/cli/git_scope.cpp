#include "cli/git_scope.h"

#include "cli/output.h"

#include <fmt/format.h>

#include <utility>

namespace gpulint::cli {
namespace {

/// Where the working branch left `revision`, so that what others did there since is not part of the
/// change; the revision itself where the two share nothing.
Result<GitSide> start_of_change(const GitRepository& repository, const std::string& revision) {
  auto side = repository.commit(revision);
  if (!side) return side;
  auto base = repository.merge_base(revision, "HEAD");
  if (base) side->object = base->object;
  return side;
}

}  // namespace

std::vector<std::string> canonical_paths(const GitRepository& repository,
                                         const std::vector<GitChange>& changes) {
  std::vector<std::string> paths;
  for (const GitChange& change : changes) {
    paths.push_back(repository.root() + "/" + change.path);
    if (!change.old_path.empty()) paths.push_back(repository.root() + "/" + change.old_path);
  }
  return paths;
}

void note_submodules(const std::vector<GitChange>& changes) {
  for (const GitChange& change : changes) {
    if (!change.submodule) continue;
    print_note(fmt::format("{} is a submodule; run gpulint in its own repository", change.path));
  }
}

Result<GitScope> git_scope(const ReviewArguments& review) {
  auto repository = GitRepository::open();
  if (!repository) return fail(std::move(repository).error());
  auto from = review.changed_since ? start_of_change(*repository, *review.changed_since)
                                   : repository->head();
  if (!from) return fail(std::move(from).error());
  GitSide to;
  if (review.staged) to = {GitSide::Kind::index, "", "the index"};
  auto changes = repository->changes(*from, to);
  if (!changes) return fail(std::move(changes).error());
  note_submodules(*changes);
  GitScope scope;
  scope.changes = ChangeSet(canonical_paths(*repository, *changes));
  scope.unchanged = fmt::format("does not differ from {}", from->name);
  if (review.staged) {
    auto entries = repository->entries(to);
    if (!entries) return fail(std::move(entries).error());
    scope.reader = std::make_unique<GitReader>(*repository, std::move(*entries));
  }
  return scope;
}

}  // namespace gpulint::cli
