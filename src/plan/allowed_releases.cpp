#include "plan/allowed_releases.h"

#include "base/system_path.h"
#include "base/text.h"
#include "code/code_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

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

/// What the requirement files nearest to the config say of a package that has these names.
std::vector<Requirement> nearest_requirements(const Run& run,
                                              const std::vector<std::string>& names) {
  constexpr int kMostFolders = 16;
  std::string folder(parent_path(run.document().path()));
  for (int level = 0; level < kMostFolders; ++level) {
    std::vector<Requirement> found;
    for (const std::string& name : names) {
      const std::vector<Requirement> more =
          run.project()->requirements(folder.empty() ? "." : folder, name);
      found.insert(found.end(), more.begin(), more.end());
    }
    const bool is_top = folder.empty() || folder == run.root();
    if (!found.empty() || is_top || is_root(folder)) return found;
    folder = std::string(parent_path(folder));
  }
  return {};
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

/// Of these, the ones that can be installed beside what the project pins: a release that asks for a
/// newer torch than `torch==1.8` is none of them.
ReleaseSet installable(const Run& run, const PackageKeys& package, ReleaseSet set) {
  std::map<std::string_view, std::vector<Requirement>> stated;
  for (const NeededPackage& need : package.needs) {
    if ((set & need.releases) == 0) continue;
    const auto [at, is_new] = stated.try_emplace(need.name);
    if (is_new) at->second = nearest_requirements(run, {need.name});
    const std::vector<Requirement>& all = at->second;
    const bool is_excluded =
        !all.empty() && std::all_of(all.begin(), all.end(), [&](const Requirement& each) {
          return excludes_from(each, need.least);
        });
    if (is_excluded) set &= ~need.releases;
  }
  return set;
}

}  // namespace

AllowedReleases allowed_releases(const Run& run, const PackageKeys& package) {
  const AllowedReleases all{package.all(), false, {}};
  if (run.project() == nullptr) return all;
  std::vector<std::string> names = {package.id};
  names.insert(names.end(), package.also.begin(), package.also.end());
  const std::vector<Requirement> found = nearest_requirements(run, names);
  if (found.empty()) return all;
  AllowedReleases allowed = joined(package, found, run.root());
  // Where nothing is left, a pin is not what it seems to be.
  if (const ReleaseSet left = installable(run, package, allowed.set); left != 0) {
    allowed.is_bounded = allowed.is_bounded || left != allowed.set;
    allowed.set = left;
  }
  return allowed;
}

bool newest_is_in(const PackageKeys& package, ReleaseSet allowed, ReleaseSet releases) {
  const std::string_view newest = package.newest(allowed);
  return package.newest(allowed & releases) == newest && (allowed & releases) != 0;
}

bool may_overlap(const PackageKeys& package, ReleaseSet older, ReleaseSet newer) {
  const auto first = static_cast<std::size_t>(std::countr_zero(newer));
  if (first == 0 || static_cast<std::size_t>(std::bit_width(older)) < first) return false;
  const auto series = [&](std::size_t at) {
    const std::string& release = package.releases[at];
    return release.substr(0, release.find('.', release.find('.') + 1));
  };
  return first >= package.releases.size() || series(first) == series(first - 1);
}

bool is_required(const Run& run, std::string_view package) {
  return run.project() != nullptr && !nearest_requirements(run, {std::string(package)}).empty();
}

}  // namespace gpulint
