#!/usr/bin/env bash
# Builds the static libraries that Debian lacks from Debian's sources, in build/static-libraries/ARCH: libpq without
# Kerberos and LDAP, and muparser. For arm64 it unpacks Debian's other libraries there, too.
# Usage: packaging/static/libraries.sh amd64|arm64; WEFT_STATIC_ROOT names another folder than build/static-libraries.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
. packaging/static/debian.sh
target=$1
mkdir -p "${WEFT_STATIC_ROOT:=build/static-libraries}"
root=$(readlink -f "$WEFT_STATIC_ROOT")
prefix=$root/$target
made_by=$(cat packaging/static/libraries.sh packaging/arm64/sysroot.sh | sha256sum)
[ "$(cat "$prefix/complete" 2>/dev/null)" = "$made_by" ] && exit
rm -rf "$prefix" "$root/build-$target"
mkdir -p "$prefix"/{lib,include,licences} "$root/build-$target"

debian_lists "$root/lists" "$(dpkg --print-architecture)"
# The newest version that the mirrors have: the list of a mirror may be ahead of its files.
get_source() {  # NAME
  local version versions
  [ -e "$root/sources/$1" ] && return
  versions=$(debian_cache showsrc "$1" | sed -n 's/^Version: //p' | sort -Vru)
  for version in $versions; do
    rm -rf "$root/sources/$1.new"
    mkdir -p "$root/sources/$1.new"
    (cd "$root/sources/$1.new" && debian_apt source "$1=$version") >"$root/$1.log" 2>&1 || continue
    mv "$root/sources/$1.new" "$root/sources/$1"
    return
  done
  tail "$root/$1.log" >&2
  echo "no mirror gives the source of $1" >&2
  return 1
}
get_source postgresql-15
get_source muparser

host=() cross=() flags="-O2 -fPIE -ffunction-sections -fdata-sections -ffile-prefix-map=$root=."
if [ "$target" = arm64 ]; then
  packaging/arm64/sysroot.sh "$prefix/sysroot" "$root/lists-arm64"
  usr=$prefix/sysroot/usr
  host=(--host=aarch64-linux-gnu CPPFLAGS="-isystem $usr/include -isystem $usr/include/aarch64-linux-gnu"
    LDFLAGS="--sysroot=$prefix/sysroot -L$usr/lib/aarch64-linux-gnu")
  cross=(-DCMAKE_TOOLCHAIN_FILE="$PWD/packaging/arm64/toolchain.cmake" -DWEFT_STATIC_LIBRARIES="$prefix")
fi

cd "$root/build-$target"
mkdir postgres muparser
# Calls the function in a shell of its own, which ends at the first error. In a condition, bash would go on.
built() {  # NAME
  local status
  set +e
  (set -e; "build_$1") >"$1.log" 2>&1
  status=$?
  set -e
  [ $status -eq 0 ] || { tail -n 20 "$1.log" >&2; echo "$1 does not build" >&2; exit 1; }
}
build_postgres() {
  local source
  source=$(echo "$root"/sources/postgresql-15/postgresql-*/)
  cd postgres
  "$source/configure" "${host[@]}" CFLAGS="$flags" --without-readline --without-zlib --without-icu --without-gssapi \
    --without-ldap --with-openssl --with-system-tzdata=/usr/share/zoneinfo --sysconfdir=/etc/postgresql-common
  make -s -C src/backend generated-headers
  make -s -C src/common libpgcommon_shlib.a
  make -s -C src/port libpgport_shlib.a
  make -s -C src/interfaces/libpq libpq.a
  cp src/interfaces/libpq/libpq.a "$prefix/lib/"
  cp src/common/libpgcommon_shlib.a "$prefix/lib/libpgcommon.a"
  cp src/port/libpgport_shlib.a "$prefix/lib/libpgport.a"
  cp "$source/src/interfaces/libpq/libpq-fe.h" "$source/src/include/postgres_ext.h" src/include/pg_config_ext.h \
    "$prefix/include/"
  cp "$source/debian/copyright" "$prefix/licences/libpq"
}
build_muparser() {
  local source
  source=$(echo "$root"/sources/muparser/muparser-*/)
  cmake -S "$source" -B muparser -G Ninja "${cross[@]}" -DCMAKE_BUILD_TYPE=None \
    -DCMAKE_CXX_FLAGS_NONE="$flags -DNDEBUG" -DBUILD_SHARED_LIBS=OFF -DENABLE_OPENMP=OFF -DENABLE_SAMPLES=OFF
  cmake --build muparser
  cp muparser/libmuparser.a "$prefix/lib/"
  cp "$source"/include/*.h "$prefix/include/"
  cp "$source/debian/copyright" "$prefix/licences/muparser"
}
built postgres
built muparser
echo "$made_by" >"$prefix/complete"
