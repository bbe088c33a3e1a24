# shellcheck shell=bash
# Sourced after build.sh by what builds for other systems (scripts/wheels, scripts/playground): the compiler from the Python
# index (ziglang) and the sources of the libraries from Debian's source packages, in build/wheels for all of them.

work=$root/build/wheels
sources=$work/sources
tools=$work/tools
libraries=(yaml-cpp fmtlib nlohmann-json3 cli11)

install_tools() {
  cmp -s "$root/packaging/requirements.txt" "$tools/installed.txt" && return 0
  say "installing the cross compiler"
  rm -rf "$tools"
  python3 -m venv "$tools"
  "$tools/bin/pip" install -q --disable-pip-version-check -r "$root/packaging/requirements.txt"
  cp "$root/packaging/requirements.txt" "$tools/installed.txt"
}

# Debian's source packages of the libraries, through a list of sources of our own: that of the machine, with deb-src for deb.
fetch_sources() {
  local apt=$work/apt folder
  [ ! -f "$sources/complete" ] || return 0
  command -v apt-get >/dev/null || { say "the sources of ${libraries[*]} come from Debian's packages: apt-get is missing"; exit 2; }
  say "fetching the sources of ${libraries[*]}"
  rm -rf "$sources" "$apt"
  mkdir -p "$sources" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts"
  for folder in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$folder" ] || sed 's/^Types:.*/Types: deb-src/' "$folder" >"$apt/parts/${folder##*/}"
  done
  { cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null || true; } | sed -n 's/^deb\(-src\)\? /deb-src /p' | sort -u >"$apt/sources.list"
  local own=(-qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/parts" -o "Dir::State::lists=$apt/lists"
    -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root)
  apt-get "${own[@]}" update </dev/null >&2
  (cd "$sources" && apt-get "${own[@]}" source --download-only "${libraries[@]}" </dev/null >&2)
  for folder in "${libraries[@]}"; do
    mkdir "$sources/$folder"
    tar -xf "$sources/$folder"_*.orig.tar.* --strip-components=1 -C "$sources/$folder"
  done
  touch "$sources/complete"
}

# The compiler of one target under names of its own: what a compiler cache goes by.
write_compiler() {
  local bin=$1 triple=$2 name zig
  zig=$("$tools/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
  mkdir -p "$bin"
  for name in cc c++; do
    printf '#!/bin/sh\nexec "%s" %s -target %s "$@"\n' "$zig" $name "$triple" >"$bin/new"
    chmod +x "$bin/new"
    # A compiler that was touched would be another one to a cache.
    if cmp -s "$bin/new" "$bin/zig-$name"; then rm "$bin/new"; else mv "$bin/new" "$bin/zig-$name"; fi
  done
  for name in ar ranlib; do
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" $name >"$bin/zig-$name"
    chmod +x "$bin/zig-$name"
  done
}
