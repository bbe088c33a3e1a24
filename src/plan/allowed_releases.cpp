#include "plan/allowed_releases.h"

#include "base/text.h"
#include "code/code_base.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

bool meets_all(std::string_view release, const Requirement& requirement) {
  return std::all_of(requirement.terms.begin(), requirement.terms.end(),
                     [&](const std::string& term) { return meets(release, term); });
}

/// Releases between two that were read are not known themselves: what both neighbours of the one
/// that is asked for take or refuse, it does too.
ReleaseSet neighbours(const PackageKeys& package, const Requirement& requirement) {
  if (requirement.terms.empty()) return 0;
  const std::string& term = requirement.terms.front();
  const std::size_t begin = std::min(term.find_first_of("0123456789"), term.size());
  const std::string wanted = term.substr(begin);
  for (std::size_t i = 0; i + 1 < package.releases.size(); ++i) {
    if (compare_releases(package.releases[i], wanted) < 0 &&
        compare_releases(wanted, package.releases[i + 1]) < 0) {
      return ReleaseSet{3} << i;
    }
  }
  return 0;
}

/// Of those that were read; 0 where none of them will do.
ReleaseSet releases_of(const PackageKeys& package, const Requirement& requirement) {
  ReleaseSet set = 0;
  for (std::size_t i = 0; i < package.releases.size(); ++i) {
    if (meets_all(package.releases[i], requirement)) set |= ReleaseSet{1} << i;
  }
  return set;
}

std::vector<Requirement> requirements_in(CodeBase& code, const std::string& folder,
                                         const PackageKeys& package) {
  std::vector<Requirement> found = code.requirements(folder, package.id);
  for (const std::string& name : package.also) {
    const std::vector<Requirement> more = code.requirements(folder, name);
    found.insert(found.end(), more.begin(), more.end());
  }
  return found;
}

bool has_upper_bound(const Requirement& requirement) {
  return std::any_of(
      requirement.terms.begin(), requirement.terms.end(),
      [](const std::string& term) { return !term.starts_with('>') && !term.starts_with('!'); });
}

AllowedReleases joined(const PackageKeys& package, const std::vector<Requirement>& all,
                       const std::string& root) {
  AllowedReleases allowed;
  allowed.is_bounded = true;
  for (const Requirement& each : all) {
    ReleaseSet set = each.is_elsewhere ? 0 : releases_of(package, each);
    if (set == 0 && !each.is_elsewhere) {
      set = neighbours(package, each);
      allowed.is_between = true;
    }
    if (set == 0) return {};  // one way to install it leads to a release that nobody read
    allowed.set |= set;
    allowed.is_bounded = allowed.is_bounded && has_upper_bound(each);
    std::string_view file = each.file;
    if (file.starts_with(root + "/")) file.remove_prefix(root.size() + 1);
    // The statement that allows the most is the one to quote.
    if (allowed.statement.empty() || set == allowed.set) {
      allowed.statement = fmt::format("{} in {}", each.text, file);
    }
  }
  return allowed;
}

}  // namespace

AllowedReleases allowed_releases(const Run& run, const PackageKeys& package) {
  constexpr int kMostFolders = 16;
  CodeBase* code = run.project();
  if (code == nullptr) return {package.all(), false, {}};
  std::string folder(parent_path(run.document().path()));
  for (int level = 0; level < kMostFolders; ++level) {
    const bool is_root = folder.empty() || folder == run.root();
    const std::vector<Requirement> found =
        requirements_in(*code, folder.empty() ? "." : folder, package);
    if (!found.empty()) return joined(package, found, run.root());
    if (is_root || folder == "/") break;
    folder = std::string(parent_path(folder));
  }
  return {package.all(), false, {}};
}

}  // namespace gpulint
