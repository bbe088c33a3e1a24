#include "cli/git_repository.h"

#include "base/text.h"
#include "cli/git_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gpulint::cli {
namespace {

/// Listings of the largest repositories stay below it.
constexpr std::size_t kMaxListingBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxAnswerBytes = std::size_t{1} << 20;

std::string without_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// git's own words, first line, without its prefix.
std::string words_of(const GitOutput& output) {
  std::string_view line = std::string_view(output.err).substr(0, output.err.find('\n'));
  for (const std::string_view label : {"fatal: ", "error: "}) {
    if (line.starts_with(label)) line.remove_prefix(label.size());
  }
  return line.empty() ? fmt::format("git ended with code {}", output.code) : std::string(line);
}

/// A revision goes to git behind --end-of-options and must still look like one: git itself allows
/// no blank, control character, or leading dash in the name of a ref.
Result<void> check_revision(const std::string& revision) {
  const bool odd = std::any_of(revision.begin(), revision.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == '\x7f';
  });
  if (revision.empty() || revision.starts_with('-') || odd) {
    return fail(
        fmt::format("\"{}\" cannot name a revision; give a branch, a tag or a commit", revision));
  }
  return {};
}

std::vector<std::string_view> records(std::string_view text) {
  std::vector<std::string_view> found = split(text, '\0');
  if (!found.empty() && found.back().empty()) found.pop_back();
  return found;
}

std::uint32_t octal(std::string_view digits) {
  std::uint32_t value = 0;
  for (const char c : digits) value = 8 * value + static_cast<std::uint32_t>(c - '0');
  return value;
}

/// "MODE TYPE OBJECT\tPATH" of ls-tree and "MODE OBJECT STAGE\tPATH" of ls-files -s.
Result<std::vector<GitEntry>> parse_entries(std::string_view text, bool index) {
  std::vector<GitEntry> entries;
  for (const std::string_view record : records(text)) {
    const std::size_t tab = record.find('\t');
    const auto words = split(record.substr(0, tab), ' ');
    if (tab == std::string_view::npos || words.size() != 3) {
      return fail("git printed a listing that is not understood");
    }
    if (index && words[2] != "0") {
      return fail(Error{.message = "has conflicts that are not resolved yet; resolve and add it",
                        .file = std::string(record.substr(tab + 1))});
    }
    entries.push_back({std::string(record.substr(tab + 1)), octal(words[0]),
                       std::string(index ? words[1] : words[2])});
  }
  return entries;
}

GitChange::Kind kind_from(char letter) {
  switch (letter) {
    case 'A':
    case 'C':
      return GitChange::Kind::added;
    case 'D':
      return GitChange::Kind::removed;
    case 'R':
      return GitChange::Kind::renamed;
    default:
      return GitChange::Kind::modified;
  }
}

/// ":MODE MODE OBJECT OBJECT LETTER" PATH [PATH], each ended by a zero byte.
Result<std::vector<GitChange>> parse_changes(std::string_view text) {
  constexpr std::uint32_t kSubmodule = 0160000;
  std::vector<GitChange> changes;
  const auto parts = records(text);
  for (std::size_t i = 0; i < parts.size();) {
    const auto words = split(parts[i].substr(std::min<std::size_t>(1, parts[i].size())), ' ');
    if (words.size() != 5 || words[4].empty()) {
      return fail("git printed changes that are not understood");
    }
    const char letter = words[4].front();
    const std::size_t paths = letter == 'R' || letter == 'C' ? 2 : 1;
    if (i + paths >= parts.size()) return fail("git printed changes that are cut short");
    GitChange change;
    change.kind = kind_from(letter);
    change.submodule = octal(words[0]) == kSubmodule || octal(words[1]) == kSubmodule;
    change.path = parts[i + paths];
    if (change.kind == GitChange::Kind::renamed) change.old_path = parts[i + 1];
    changes.push_back(std::move(change));
    i += paths + 1;
  }
  return changes;
}

}  // namespace

Result<GitRepository> GitRepository::open(const std::string& folder) {
  GitRepository repository;
  const auto root = run_git(folder, {"rev-parse", "--show-toplevel"}, kMaxAnswerBytes);
  if (!root) return fail(root.error());
  if (root->code != 0) {
    const std::string why = words_of(*root);
    if (why.find("work tree") != std::string::npos) {
      return fail("this git repository has no working tree (a bare clone); run gpulint in a clone");
    }
    if (why.find("not a git repository") != std::string::npos) {
      return fail("this folder is not in a git repository; run gpulint inside one");
    }
    return fail(fmt::format("git: {}", why));
  }
  repository.root_ = without_line_end(root->out);
  auto prefix = run_git(folder, {"rev-parse", "--show-prefix"}, kMaxAnswerBytes);
  if (!prefix) return fail(prefix.error());
  repository.prefix_ = without_line_end(prefix->out);
  if (repository.prefix_.ends_with('/')) repository.prefix_.pop_back();
  return repository;
}

Result<std::string> GitRepository::ask(std::vector<std::string> arguments) const {
  auto output = run_git(root_, arguments, kMaxListingBytes);
  if (!output) return fail(output.error());
  if (output->code != 0) {
    return fail(fmt::format("git {}: {}", arguments.front(), words_of(*output)));
  }
  return std::move(output->out);
}

Result<GitSide> GitRepository::commit(const std::string& revision) const {
  if (auto checked = check_revision(revision); !checked) return fail(checked.error());
  const auto found = run_git(
      root_, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"},
      kMaxAnswerBytes);
  if (!found) return fail(found.error());
  if (found->code == 0) {
    return GitSide{GitSide::Kind::tree, without_line_end(found->out), revision};
  }
  const auto shallow = ask({"rev-parse", "--is-shallow-repository"});
  if (shallow && shallow->starts_with("true")) {
    return fail(fmt::format(
        "\"{}\" is not in this shallow clone; fetch it (git fetch --unshallow, or fetch-depth: 0 "
        "in actions/checkout)",
        revision));
  }
  return fail(fmt::format("\"{}\" is not a commit of this repository; fetch it, or check the name",
                          revision));
}

Result<GitSide> GitRepository::head() const {
  auto head =
      run_git(root_, {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}, kMaxAnswerBytes);
  if (!head) return fail(head.error());
  if (head->code == 0) {
    return GitSide{GitSide::Kind::tree, without_line_end(head->out), "HEAD"};
  }
  auto empty = ask({"hash-object", "-t", "tree", "/dev/null"});
  if (!empty) return fail(std::move(empty).error());
  return GitSide{GitSide::Kind::tree, without_line_end(std::move(*empty)), "an empty repository"};
}

Result<GitSide> GitRepository::merge_base(const std::string& a, const std::string& b) const {
  const auto first = commit(a);
  if (!first) return fail(first.error());
  const auto second = commit(b);
  if (!second) return fail(second.error());
  const auto found = run_git(root_, {"merge-base", first->object, second->object}, kMaxAnswerBytes);
  if (!found) return fail(found.error());
  if (found->code != 0 || found->out.empty()) {
    const auto shallow = ask({"rev-parse", "--is-shallow-repository"});
    return fail(fmt::format("\"{}\" and \"{}\" have no commit in common{}", a, b,
                            shallow && shallow->starts_with("true")
                                ? " in this shallow clone; fetch more of it (fetch-depth: 0)"
                                : ""));
  }
  return GitSide{GitSide::Kind::tree, without_line_end(found->out), fmt::format("{}...{}", a, b)};
}

Result<std::vector<GitEntry>> GitRepository::entries(const GitSide& side) const {
  const bool index = side.kind == GitSide::Kind::index;
  const auto listing = index ? ask({"ls-files", "--stage", "-z", "--full-name"})
                             : ask({"ls-tree", "-r", "-z", "--full-tree", side.object});
  if (!listing) return fail(listing.error());
  return parse_entries(*listing, index);
}

Result<std::vector<GitChange>> GitRepository::changes(const GitSide& from,
                                                      const GitSide& to) const {
  std::vector<std::string> arguments{
      "diff",          "--raw",          "-z",
      "--no-abbrev",   "--find-renames", "--no-ext-diff",
      "--no-textconv", "--no-color",     "--ignore-submodules=dirty"};
  if (to.kind == GitSide::Kind::index) arguments.emplace_back("--cached");
  arguments.push_back(from.object);
  if (to.kind == GitSide::Kind::tree) arguments.push_back(to.object);
  arguments.emplace_back("--");
  const auto printed = ask(std::move(arguments));
  if (!printed) return fail(printed.error());
  auto changes = parse_changes(*printed);
  if (!changes || to.kind != GitSide::Kind::working_tree) return changes;
  const auto untracked = ask({"ls-files", "--others", "--exclude-standard", "-z", "--full-name"});
  if (!untracked) return fail(untracked.error());
  for (const std::string_view path : records(*untracked)) {
    changes->push_back({GitChange::Kind::added, std::string(path), "", false});
  }
  return changes;
}

}  // namespace gpulint::cli
