#!/usr/bin/env bash
# Unpacks Debian's libraries for arm64 into FOLDER, for the cross compiler: also glibc and libstdc++, because those of
# the cross compiler have none of Debian's security updates.
# Nothing of this machine's packages changes. Usage: packaging/arm64/sysroot.sh FOLDER LISTS
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
. packaging/static/debian.sh
folder=$1
packages=(libc6 libc6-dev linux-libc-dev libgcc-s1 libgcc-12-dev libstdc++6 libstdc++-12-dev
  libabsl-dev libboost1.81-dev libbsd-dev libcli11-dev libedit-dev libfmt-dev libmd-dev libncurses-dev libre2-dev
  libspdlog-dev libsqlite3-dev libssl-dev libvalijson-dev libxxhash-dev nlohmann-json3-dev zlib1g-dev doctest-dev)
debian_lists "$2" arm64
# The newest version that the mirrors have.
mkdir -p "$2/debs"
for package in "${packages[@]}"; do
  got=
  for version in $(debian_cache show "$package" | sed -n 's/^Version: //p' | sort -Vru); do
    (cd "$2/debs" && debian_apt download "$package=$version") >"$2/download.log" 2>&1 && got=yes && break
  done
  [ -n "$got" ] || { tail -n 3 "$2/download.log" >&2; echo "no mirror gives $package for arm64" >&2; exit 1; }
done
rm -rf "$folder.new"
known=$folder.new/var/lib/dpkg  # dpkg's records, by which packaging/sbom.py tells whose a file is
mkdir -p "$known"/{info,updates}
for deb in "$2"/debs/*.deb; do
  dpkg-deb -x "$deb" "$folder.new"
  package=$(dpkg-deb -f "$deb" Package)
  [ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] || package+=:arm64
  dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's,^\.,,; s,/$,,; s,^$,/.,' >"$known/info/$package.list"
  printf '%s\nStatus: install ok installed\n\n' "$(dpkg-deb -f "$deb")" >>"$known/status"
done
echo 1 >"$known/info/format"
mv "$folder.new" "$folder"
