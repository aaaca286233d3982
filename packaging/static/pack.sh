#!/usr/bin/env bash
# Packs a built static driver into build/packages: the tarball, the npm packages and the bill of materials. The bytes
# depend only on the driver and on the commit. Usage: packaging/static/pack.sh amd64|arm64 [FOLDER]
set -euo pipefail
umask 022
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
arch=${1:-}
libraries=${WEFT_STATIC_ROOT:-build/static-libraries}/$arch
case $arch in
  amd64) node_arch=x64 folder=build/static strip=strip run=() ;;
  arm64)
    node_arch=arm64 folder=build/static-arm64 strip=aarch64-linux-gnu-strip run=(qemu-aarch64-static) ;;
  *) echo "usage: $0 amd64|arm64" >&2; exit 2 ;;
esac
version=$(sed -n 's/^project(weft VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC
mkdir -p "${2:-build/packages}"
out=$(readlink -f "${2:-build/packages}")
work=$PWD/build/packing/$arch
name=weft-$version-linux-$arch
root=$work/$name
rm -rf "$work"
mkdir -p "$root"/{bin,share/doc/weft}

$strip -o "$root/bin/weft" "$folder/workflows/weft"
if grep -qaF -e "$PWD/" -e "$(readlink -f "$libraries")" "$root/bin/weft"; then
  echo "the driver contains the path of its build folder or of its libraries" >&2
  exit 1
fi
weft() { "${run[@]}" "$root/bin/weft" "$@"; }
mkdir -p "$root"/share/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
weft man --folder "$root/share/man/man1"
weft completion bash >"$root/share/bash-completion/completions/weft"
weft completion zsh >"$root/share/zsh/site-functions/_weft"
weft completion fish >"$root/share/fish/vendor_completions.d/weft.fish"

bill=$out/$name.spdx.json
python3 -B packaging/sbom.py "$folder" --built "$libraries" --sbom "$bill" --licences "$work/THIRD_PARTY"
install -m 644 "$bill" "$root/share/doc/weft/weft.spdx.json"
install -m 644 "$work/THIRD_PARTY" "$root/share/doc/weft/"
install -m 644 LICENSE "$root/LICENSE"
install -m 644 packaging/static/README.md "$root/README.md"

pack() {  # FOLDER OUTPUT [options of tar]
  local from=$1 to=$2; shift 2
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=ustar "$@" \
    -C "$from" -cf - . | gzip -9n >"$to.new"
  mv "$to.new" "$to"
}
pack "$root" "$out/$name.tar.gz" --transform "s,^\.,$name,"

# As `npm pack` packs: one folder named package.
make_package() {  # FOLDER FILE: the folder has package.json
  install -m 644 LICENSE packaging/npm/README.md "$1/"
  sed -i "s/VERSION/$version/g" "$1/package.json" "$1/README.md"
  pack "$1" "$out/$2-$version.tgz" --transform 's,^\.,package,'
}
driver=$work/npm/linux-$node_arch
mkdir -p "$driver/bin"
cp "$root/bin/weft" "$driver/bin/"
cp "$root"/share/doc/weft/* "$driver/"
sed "s/ARCH/$node_arch/g" packaging/npm/platform.json >"$driver/package.json"
make_package "$driver" "weft-linux-$node_arch"
launcher=$work/npm/weft
mkdir -p "$launcher/bin"
install -m 644 packaging/npm/weft/package.json "$launcher/"
install -m 755 packaging/npm/weft/bin/weft.js "$launcher/bin/"
make_package "$launcher" weft
rm -rf "$work"
