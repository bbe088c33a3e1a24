#include "cli/baseline.h"

#include "base/text.h"
#include "cli/commands.h"
#include "cli/fix_write.h"
#include "cli/output.h"
#include "edit/baseline.h"
#include "lint/folders.h"
#include "source/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gpulint::cli {
namespace {

/// A finding takes about two hundred bytes.
constexpr std::size_t kMaxBaselineBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxListed = 10;

struct Loaded {
  Baseline entries;
  std::string text;
  bool exists = false;
};

Result<Loaded> load(const FileReader& disk, const std::string& path) {
  Loaded loaded;
  loaded.exists = disk.kind(path) != FileKind::missing;
  if (!loaded.exists) return loaded;
  auto text = disk.read(path, kMaxBaselineBytes);
  if (!text) return fail(std::move(text).error());
  loaded.text = std::move(*text);
  ReadLimits limits;
  limits.max_bytes = kMaxBaselineBytes;
  const auto document = read_json(path, loaded.text, 0, limits);
  if (!document) return fail(document.error());
  auto entries = parse_baseline(*document);
  if (!entries) return fail(std::move(entries).error());
  loaded.entries = std::move(*entries);
  return loaded;
}

Result<void> store(const std::string& path, const Loaded& old, const std::string& text) {
  if (!old.exists) return write_results({.path = path}, text);
  if (old.text == text) return {};
  const std::vector<std::string> named{path};
  return write_fixed({.path = path, .before = old.text, .after = text}, named);
}

void list_entries(const std::vector<BaselineEntry>& entries) {
  for (std::size_t i = 0; i < std::min(kMaxListed, entries.size()); ++i) {
    print_note(fmt::format("  {} {} {}", entries[i].path, entries[i].rule, entries[i].pointer));
  }
  if (entries.size() > kMaxListed) {
    print_note(fmt::format("  and {} more", entries.size() - kMaxListed));
  }
}

int report_stale(const ReviewArguments& review, const std::string& path,
                 const BaselineOutcome& outcome) {
  if (outcome.stale.empty()) return kClean;
  const bool one = outcome.stale.size() == 1;
  print_note(fmt::format("{} of {} {} no finding any more; --write-baseline={} removes {}",
                         counted(std::ssize(outcome.stale), "entry|entries"), path,
                         one ? "matches" : "match", path, one ? "it" : "them"));
  list_entries(outcome.stale);
  return review.ratchet ? kFindings : kClean;
}

Result<int> renew(const ReviewArguments& review, const std::string& path, const Loaded& old,
                  const FileReader& files, BaselineOutcome& outcome, LintResult& result) {
  if (review.ratchet && !outcome.fresh.empty()) {
    print_note(fmt::format("{} would grow by {}, so it was not written", path,
                           counted(std::ssize(outcome.fresh), "finding")));
    list_entries(outcome.fresh);
    return kFindings;
  }
  if (auto stored = store(path, old, baseline_text(outcome.renewed)); !stored) {
    return fail(std::move(stored).error());
  }
  std::string note = fmt::format("{} lists {}: {} new, {} pruned", path,
                                 counted(std::ssize(outcome.renewed), "finding"),
                                 outcome.fresh.size(), outcome.stale.size());
  if (!outcome.unjudged.empty()) {
    note += fmt::format(", {} kept that this run could not judge", outcome.unjudged.size());
  }
  print_note(note);
  list_entries(outcome.stale);
  apply_baseline(result, outcome.renewed, files, folder_of(path));  // hides the new ones too
  return kClean;
}

}  // namespace

Result<int> use_baseline(const ReviewArguments& review, const FileReader& disk,
                         const FileReader& files, LintResult& result) {
  const std::string path =
      normalize_path(review.baseline ? *review.baseline : *review.write_baseline);
  const std::string target = review.write_baseline ? normalize_path(*review.write_baseline) : path;
  auto old = load(disk, path);
  if (!old) return fail(std::move(old).error());
  const bool needed = review.baseline || review.ratchet;
  if (needed && !old->exists) {
    return fail(Error{.message = fmt::format("there is no such baseline; write one with "
                                             "--write-baseline={}",
                                             path),
                      .file = path});
  }
  BaselineOutcome outcome = apply_baseline(result, old->entries, files, folder_of(path));
  if (!review.write_baseline) return report_stale(review, path, outcome);
  auto present = target == path ? std::move(old) : load(disk, target);
  if (!present) return fail(std::move(present).error());
  return renew(review, target, *present, files, outcome, result);
}

}  // namespace gpulint::cli
