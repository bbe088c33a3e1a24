#pragma once

#include "catalog/package_keys.h"
#include "plan/run.h"

#include <string>
#include <string_view>

namespace gpulint {

/// Releases of a package that a run may be started with, by what its project says.
struct AllowedReleases {
  ReleaseSet set = 0;       // empty: nothing can be said (a fork, a release nobody read)
  bool is_bounded = false;  // it is none newer than those that were read
  std::string statement;    // "trl>=0.19.1 in setup.py"; "" = the project does not name the package
  bool is_between = false;  // one that nobody read: `set` has its neighbours
};

/// The requirement files nearest to the config decide; without any, all releases are allowed.
AllowedReleases allowed_releases(const Run& run, const PackageKeys& package);

/// The newest of the allowed releases is one of these.
bool newest_is_in(const PackageKeys& package, ReleaseSet allowed, ReleaseSet releases);

/// Between two releases of one series (x.y) that were read, there may be one that takes what both
/// take.
bool may_overlap(const PackageKeys& package, ReleaseSet older, ReleaseSet newer);

/// The project names a package by its name in the index. Asked before the package's file is read.
bool is_required(const Run& run, std::string_view package);

}  // namespace gpulint
