#include "lsp/checks.h"

#include "edit/fix.h"
#include "lint/buffers.h"

#include <algorithm>
#include <utility>

namespace gpulint::lsp {
namespace {

/// Documents that turn out to be read by the ones judged are judged with them; chains end soon.
constexpr int kMostRounds = 4;

/// The real paths that each document's runs read.
std::map<std::string, std::set<std::string>> reads_of(const LintResult& result,
                                                      const SessionView& view) {
  std::map<std::string, std::set<std::string>> reads;
  for (const FileReport& file : result.files) {
    std::set<std::string>& paths = reads[file.path];
    for (const std::string& path : file.reads) paths.insert(real_path(view.files(), path));
  }
  return reads;
}

}  // namespace

bool Check::names(const std::string& path) const {
  return std::binary_search(paths.begin(), paths.end(), path);
}

const LintResult& close_look(Check& check) {
  if (!check.closely) {
    LintRequest request = check.request;
    request.options.keep_plans = true;
    check.closely = lint(check.view, request);
  }
  return *check.closely;
}

const LintResult& proven_result(Check& check) {
  if (!check.proven) {
    check.proven = check.result;
    prove_fixes(check.view, check.request, *check.proven);
  }
  return *check.proven;
}

void Checks::mark(const std::string& path) {
  std::erase(pending_, path);
  pending_.push_back(path);
}

void Checks::mark_all() {
  for (const auto& [path, document] : documents_.all()) {
    if (std::count(pending_.begin(), pending_.end(), path) == 0) {
      pending_.insert(pending_.begin(), path);  // behind what was edited
    }
  }
}

void Checks::forget(const OpenDocument& document) {
  std::erase(pending_, document.path);
  for (const std::unique_ptr<Check>& each : checks_) {
    for (const auto& [path, reads] : each->reads) {
      if (reads.count(document.real) != 0 && documents_.find(path) != nullptr) mark(path);
    }
  }
  for (auto each = checks_.begin(); each != checks_.end();) {
    if (!(*each)->names(document.path)) {
      ++each;
      continue;
    }
    for (const std::string& path : (*each)->paths) {
      if (path != document.path && documents_.find(path) != nullptr) mark(path);
    }
    orphans_.push_back(std::move(*each));
    each = checks_.erase(each);
  }
}

std::vector<std::unique_ptr<Check>> Checks::take_orphans() { return std::exchange(orphans_, {}); }

Check* Checks::of(const std::string& path) const {
  for (const std::unique_ptr<Check>& each : checks_) {
    if (each->names(path)) return each.get();
  }
  return nullptr;
}

/// Open documents of the same project that read it or that it reads, as far as is known, and so on.
std::set<std::string> Checks::belonging_to(const std::string& path) const {
  const std::string root = projects_.root_of(path);
  std::set<std::string> found{path};
  std::vector<std::string> open{path};
  const auto reads = [&](const OpenDocument& reader, const OpenDocument& other) {
    const Check* check = of(reader.path);
    if (check == nullptr) return false;
    const auto known = check->reads.find(reader.path);
    return known != check->reads.end() && known->second.count(other.real) != 0;
  };
  while (!open.empty()) {
    const OpenDocument* at = documents_.find(open.back());
    open.pop_back();
    if (at == nullptr) continue;
    for (const auto& [name, other] : documents_.all()) {
      if (found.count(name) != 0 || !(reads(*at, other) || reads(other, *at))) continue;
      if (projects_.root_of(name) != root) continue;
      found.insert(name);
      open.push_back(name);
    }
  }
  return found;
}

Result<std::unique_ptr<Check>> Checks::check(const std::string& root,
                                             const std::set<std::string>& paths) {
  const auto session = projects_.session(root);
  if (!session) return fail(session.error());
  auto made = std::make_unique<Check>(Check{.root = root,
                                            .paths = {paths.begin(), paths.end()},
                                            .view = (*session)->now(),
                                            .request = {},
                                            .result = {},
                                            .reads = {}});
  made->request = request_of(settings_(root), made->paths, today_());
  made->result = lint(made->view, made->request);
  made->reads = reads_of(made->result, made->view);
  return made;
}

/// Adds the open documents that the ones judged turned out to read.
bool Checks::joins_more(const Check& check, std::set<std::string>& paths) const {
  const std::size_t before = paths.size();
  for (const auto& [name, document] : documents_.all()) {
    if (paths.count(name) != 0 || projects_.root_of(name) != check.root) continue;
    const bool is_read = std::any_of(check.reads.begin(), check.reads.end(), [&](const auto& each) {
      return each.second.count(document.real) != 0;
    });
    if (is_read) paths.merge(belonging_to(name));
  }
  return paths.size() != before;
}

Checks::Outcome Checks::settle_with(const std::string& path) {
  Outcome outcome;
  std::set<std::string> paths = belonging_to(path);
  std::unique_ptr<Check> made;
  for (int round = 0; round < kMostRounds; ++round) {
    auto next = check(projects_.root_of(path), paths);
    for (const std::string& each : paths) std::erase(pending_, each);
    if (!next) {
      outcome.error = next.error();
      return outcome;
    }
    made = std::move(*next);
    if (!joins_more(*made, paths)) break;
  }
  for (auto each = checks_.begin(); each != checks_.end();) {
    const bool overlaps = std::any_of((*each)->paths.begin(), (*each)->paths.end(),
                                      [&](const std::string& old) { return made->names(old); });
    if (!overlaps) {
      ++each;
      continue;
    }
    for (const std::string& old : (*each)->paths) {
      if (!made->names(old) && documents_.find(old) != nullptr) mark(old);
    }
    outcome.gone.push_back(std::move(*each));
    each = checks_.erase(each);
  }
  outcome.made = made.get();
  checks_.push_back(std::move(made));
  return outcome;
}

std::optional<Checks::Outcome> Checks::settle() {
  if (pending_.empty()) return std::nullopt;
  const std::string path = pending_.back();
  return settle_with(path);
}

std::optional<Checks::Outcome> Checks::settle(const std::string& path) {
  if (std::count(pending_.begin(), pending_.end(), path) == 0) return std::nullopt;
  return settle_with(path);
}

}  // namespace gpulint::lsp
