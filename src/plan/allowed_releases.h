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

/// The project names a package by its name in the index. Asked before the package's file is read.
bool is_required(const Run& run, std::string_view package);

}  // namespace gpulint
