#!/usr/bin/env bash
# Makes the packages of the newest commit in FOLDER (build/packages), with the same bytes each time and in each folder:
#   packaging/package.sh FOLDER [deb|static|arm64]... [--check]
# ./dev package calls it, after it has installed what the build needs.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
say() { printf '%s\n' "package: $*" >&2; }
die() { say "$*"; exit 1; }

check=
kinds=()
for word; do
  case $word in
    --check) check=1 ;;
    deb | static | arm64) kinds+=("$word") ;;
    *) die "there is no package '$word'; there are deb, static and arm64" ;;
  esac
done
[ ${#kinds[@]} -gt 0 ] || kinds=(deb static)

commit=$(git -C "$root" rev-parse HEAD)
[ -z "$(git -C "$root" status --porcelain)" ] || say "the packages have commit ${commit:0:12}, without later changes"
SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct)
# By LANG alone, as on most machines: ccache has what other builds have compiled in the same locale.
unset "${!LC_@}"
export SOURCE_DATE_EPOCH LANG=C.UTF-8 TZ=UTC CMAKE_BUILD_PARALLEL_LEVEL=${WEFT_JOBS:-$(nproc)}
umask 022

# The tree of the commit alone: no other file of this folder gets into a package.
tree=$folder/tree
rm -rf "$tree"
mkdir "$tree"
git -C "$root" archive "$commit" | tar -x -C "$tree"
version=$(sed -n 's/^project(weft VERSION \([0-9.]*\).*/\1/p' "$tree/CMakeLists.txt")
[ -n "$version" ] || die "CMakeLists.txt has no line project(weft VERSION ...)"
# debhelper gives the compiler an empty home folder.
if command -v ccache >/dev/null; then
  CCACHE_DIR=$(ccache -k cache_dir)
  export CCACHE_DIR CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

make_deb() {
  local log=$folder/deb.log
  cp -r "$tree/packaging/debian" "$tree/debian"
  cat >"$tree/debian/changelog" <<TEXT
weft ($version) stable; urgency=medium

  * CHANGELOG.md in this folder lists the changes.

 -- $(sed -n 's/^Maintainer: //p' "$tree/debian/control")  $(date -R -d "@$SOURCE_DATE_EPOCH")
TEXT
  cp "$tree/docs/deployment/weft.service" "$tree/debian/weft.service"
  cp "$tree/docs/deployment/weft-worker.service" "$tree/debian/weft.weft-worker.service"
  rm -f "$folder"/*.deb
  (cd "$tree" && dpkg-buildpackage --build=binary --no-sign) >"$log" 2>&1 </dev/null ||
    { tail -n 40 "$log" >&2; die "the Debian packages do not build, see $log"; }
  cp "$tree/debian/weft/usr/share/doc/weft/weft.spdx.json" "$folder/weft_${version}_deb.spdx.json"
  rm -f "$folder"/*.buildinfo "$folder"/*.changes
}

# The static driver: the tarball and the packages for npm, which take Debian's sources from the folder of the project.
make_static() {  # amd64|arm64
  local log=$folder/static-$1.log
  export WEFT_STATIC_ROOT=$root/build/static-libraries
  mkdir -p "$WEFT_STATIC_ROOT"
  (cd "$tree" && packaging/static/build.sh "$1" && packaging/static/pack.sh "$1" "$folder") >"$log" 2>&1 </dev/null ||
    { tail -n 40 "$log" >&2; die "the static packages for $1 do not build, see $log"; }
}

for kind in "${kinds[@]}"; do
  say "$kind $version"
  case $kind in
    deb) make_deb ;;
    static) make_static amd64 ;;
    arm64) make_static arm64 ;;
  esac
done
(cd "$folder" && find . -maxdepth 1 -type f -name "*[-_]${version}[-_.]*" -printf '%P\n' | sort |
  xargs sha256sum >SHA256SUMS)
cat "$folder/SHA256SUMS"
[ -n "$check" ] || exit 0
for kind in "${kinds[@]}"; do
  case $kind in
    deb) "$root/packaging/check.sh" "$folder" ;;
    static) python3 -B "$root/packaging/static/check.py" "$folder" amd64 ;;
    arm64) python3 -B "$root/packaging/static/check.py" "$folder" arm64 ;;
  esac
done
say "the same bytes from another folder, without what a compiler's cache has kept"
again=$folder/check/again
rm -rf "$again"
git clone -q "$root" "$again/elsewhere"
git -C "$again/elsewhere" checkout -q --detach "$commit"
# Debian may have newer sources meanwhile.
if [ -d "$root/build/static-libraries/sources" ]; then
  mkdir -p "$again/elsewhere/build/static-libraries"
  cp -a "$root/build/static-libraries/sources" "$again/elsewhere/build/static-libraries/"
fi
CCACHE_DISABLE=1 "$again/elsewhere/packaging/package.sh" "$again/packages" "${kinds[@]}" >/dev/null
(cd "$folder" && sha256sum --check --quiet "$again/packages/SHA256SUMS") ||
  die "these packages have other bytes than those in $again/packages"
rm -rf "$again"
