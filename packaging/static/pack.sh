#!/usr/bin/env bash
# Packs a built static driver into build/packages: the tarball and the npm packages. The bytes depend only on the driver
# and on the commit. Usage: packaging/static/pack.sh amd64|arm64 [FOLDER]
set -euo pipefail
umask 022
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
arch=${1:-}
libraries=${WEFT_STATIC_ROOT:-build/static-libraries}/$arch
case $arch in
  amd64) node_arch=x64 folder=build/static docs=/usr/share/doc strip=strip run=() ;;
  arm64)
    node_arch=arm64 folder=build/static-arm64 docs=$libraries/sysroot/usr/share/doc strip=aarch64-linux-gnu-strip
    run=(qemu-aarch64-static) ;;
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
mkdir -p "$root"/{bin,share/doc/weft/licences}

$strip -o "$root/bin/weft" "$folder/workflows/weft"
if grep -qaF "$PWD/" "$root/bin/weft"; then
  echo "the driver contains the path of its build folder" >&2
  exit 1
fi
weft() { "${run[@]}" "$root/bin/weft" "$@"; }
mkdir -p "$root"/share/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
weft man --folder "$root/share/man/man1"
weft completion bash >"$root/share/bash-completion/completions/weft"
weft completion zsh >"$root/share/zsh/site-functions/_weft"
weft completion fish >"$root/share/fish/vendor_completions.d/weft.fish"

# What is linked in, by the packages of Debian that it comes from. These have one text for all their parts.
for package in libboost1.81-dev libbsd-dev libc6 libcli11-dev libedit-dev libfmt-dev libmd-dev libncurses-dev \
  libre2-dev libspdlog-dev libsqlite3-dev libssl-dev libstdc++6 libvalijson-dev libxxhash-dev nlohmann-json3-dev \
  zlib1g-dev; do
  text=$docs/$package/copyright
  [ -e "$text" ] || text=/usr/share/doc/$package/copyright
  install -m 644 "$text" "$root/share/doc/weft/licences/${package%-dev}"
done
install -m 644 "$libraries"/licences/* "$root/share/doc/weft/licences/"
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
cp -R "$root/share/doc/weft/licences" "$driver/"
sed "s/ARCH/$node_arch/g" packaging/npm/platform.json >"$driver/package.json"
make_package "$driver" "weft-linux-$node_arch"
launcher=$work/npm/weft
mkdir -p "$launcher/bin"
install -m 644 packaging/npm/weft/package.json "$launcher/"
install -m 755 packaging/npm/weft/bin/weft.js "$launcher/bin/"
make_package "$launcher" weft
rm -rf "$work"
