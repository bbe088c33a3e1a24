# shellcheck shell=bash
# Sourced by scripts/lint and scripts/test: installs what is missing, configures, builds.
# Nothing here writes to stdout, so that `scripts/lint --output json` stays parseable.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/release

# Debian names of what the build needs (docs/architecture.md says what for).
packages=(cmake g++ ninja-build libyaml-cpp-dev nlohmann-json3-dev libfmt-dev libcli11-dev doctest-dev)

# What only the tests need: git for histories, Python for other people's readers of our outputs, and a compiler cache,
# because the wheel and the hook are built from the same sources again.
test_packages=(ccache git python3 python3-venv)

say() { printf '%s\n' "$*" >&2; }

# Prints the packages dpkg does not know as installed; other systems are judged by their commands.
missing_packages() {
  local package
  if ! command -v dpkg-query >/dev/null; then
    command -v cmake >/dev/null || echo cmake
    command -v c++ >/dev/null || echo g++
    command -v ninja >/dev/null || echo ninja-build
    return
  fi
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' ||
      echo "$package"
  done
}

# How to become root here without a password: "" as root, "sudo -n" where it works; fails otherwise.
root_command() {
  if [ "$(id -u)" = 0 ]; then
    echo ""
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    echo "sudo -n"
  else
    return 1
  fi
}

install_missing() {
  local missing as_root
  mapfile -t missing < <(missing_packages)
  [ "${#missing[@]}" -gt 0 ] || return 0
  if command -v apt-get >/dev/null && as_root=$(root_command); then
    say "installing ${missing[*]}"
    # Word splitting is wanted: as_root is empty or two words.
    # shellcheck disable=SC2086
    if $as_root apt-get update -qq </dev/null >&2 &&
      $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" </dev/null >&2; then
      return 0
    fi
    say "apt-get could not install them (no network?)"
  fi
  say "gpulint needs these packages to build:"
  say "  ${missing[*]}"
  say "on Debian or Ubuntu install them with:"
  say "  sudo apt-get install ${missing[*]}"
  exit 2
}

# Warnings are errors only with the compilers the project is kept warning-free with: a newer one
# may know new warnings, which must not keep anybody from building.
warnings_as_errors() {
  local compiler=${CXX:-c++}
  case "$("$compiler" --version 2>/dev/null | head -n 1) $("$compiler" -dumpversion)" in
    *clang*\ 14.*) echo ON ;;
    *clang*) echo OFF ;;
    *\ 12 | *\ 12.*) echo ON ;;
    *) echo OFF ;;
  esac
}

# Compiled objects are found again by what they are made of, wherever the checkout lies.
use_compiler_cache() {
  command -v ccache >/dev/null || return 0
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1
}

# The `release` preset spelled out: presets of this version need CMake 3.25, the build 3.22.
configure() {
  use_compiler_cache
  say "configuring in ${build#"$root"/}"
  cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DGPULINT_WERROR="$(warnings_as_errors)" </dev/null >&2
}

# Is the build folder configured for this very checkout (and not for one that was moved or copied)?
configured() {
  [ -f "$build/build.ninja" ] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt" 2>/dev/null
}

# build TARGET...: ninja alone decides what is out of date, so an edited, new or deleted source is
# never missed; finding nothing to do takes a fraction of a second. A failure is exit code 2: with 1
# gpulint would be reporting findings.
build() {
  if ! configured; then
    install_missing
    rm -rf "$build"
    configure || cannot_build
  fi
  use_compiler_cache
  ninja -C "$build" "$@" </dev/null |
    sed -u -e '/^ninja: Entering directory/d' -e '/^ninja: no work to do/d' \
      -e '/Re-checking globbed directories/d' >&2 || cannot_build
}

cannot_build() {
  say "gpulint could not be built; the reason stands above"
  exit 2
}
