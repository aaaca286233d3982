#!/usr/bin/env bash
# Tries the Debian packages in FOLDER: lintian, and a new user in a bare root of Debian. ./dev package deb --check
# calls it, as root:
#   packaging/check.sh FOLDER [lintian|root|libraries]...
set -euo pipefail
folder=$(cd "$1" && pwd)
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$folder/check
mkdir -p "$work"
say() { printf '%s\n' "check: $*" >&2; }
die() { say "$*"; exit 1; }
driver=$(ls "$folder"/weft_*.deb)
libraries=$(ls "$folder"/libweft-dev_*.deb)
version=$(dpkg-deb -f "$driver" Version)

check_lintian() {
  lintian --allow-root --pedantic --display-info --fail-on error,warning "$driver" "$libraries"
}

# A bare root of Debian 12, new for each check. It sees no process of this machine.
bare=$work/root
inside() {
  unshare --mount --pid --fork --mount-proc="$bare/proc" chroot "$bare" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/ TERM=dumb DEBIAN_FRONTEND=noninteractive sh -euc "$1" </dev/null
}
new_root() {
  local mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Codename: bookworm' | head -n 1)
  if [ ! -e "$work/bookworm/complete" ]; then
    rm -rf "$work/bookworm"
    debootstrap --variant=minbase bookworm "$work/bookworm" "$mirror" >"$work/debootstrap.log"
    touch "$work/bookworm/complete"
  fi
  rm -rf "$bare"
  cp -a "$work/bookworm" "$bare"
  mkdir "$bare/packages"
  cp "$driver" "$libraries" "$bare/packages/"
  inside "apt-get update -qq"
}
seconds_since() { awk -v now="$(date +%s.%N)" -v then="$1" 'BEGIN { printf "%.1f", now - then }'; }

check_root() {
  local begin question answer
  new_root
  inside "apt-get install -y -qq --no-install-recommends --download-only /packages/weft_*.deb" >"$work/root.log" 2>&1
  question=$(sed -n 's|^\./dev react "\(.*\)"$|\1|p' "$root/README.md" | head -n 1)
  [ -n "$question" ] || die "README.md has no line ./dev react \"...\""
  begin=$(date +%s.%N)
  inside "apt-get install -y -qq --no-install-recommends /packages/weft_*.deb" >>"$work/root.log" 2>&1
  answer=$(inside "cd; weft react '$question' 2>/dev/null")
  say "from the download to the answer: $(seconds_since "$begin") s"
  [[ $answer == *11700* && $answer == *212.73* ]] || die "the installed weft answers: $answer"
  [ "$(inside 'weft --version')" = "weft $version" ] || die "weft --version says another version than $version"
  # A systemd that only writes down what it is told. Services are enabled and run if there is a file /running.
  printf '%s\n' '#!/bin/sh' 'echo "$*" >>/told' \
    'case $* in *is-enabled* | *is-active*) test -e /running ;; esac' >"$bare/usr/bin/systemctl"
  chmod +x "$bare/usr/bin/systemctl"
  inside "mkdir -p /run/systemd/system /etc/weft /var/lib/private/weft
    echo data | tee /etc/weft/tokens >/var/lib/private/weft/weft.db
    dpkg --purge weft
    dpkg -i /packages/weft_*.deb
    ! grep start /told
    ! ls /etc/systemd/system/*/weft*.service
    touch /running
    dpkg -i /packages/weft_*.deb
    grep 'restart weft.service' /told
    dpkg --remove weft
    grep 'stop weft.service' /told
    grep 'stop weft-worker.service' /told
    dpkg --purge weft
    ! ls /usr/bin/weft /usr/share/doc/weft
    grep data /etc/weft/tokens
    grep data /var/lib/private/weft/weft.db" >>"$work/root.log" 2>&1 ||
    die "install, upgrade, remove or purge is wrong, see $work/root.log"
}

check_libraries() {
  local compiler
  new_root
  inside "apt-get install -y -qq --no-install-recommends /packages/libweft-dev_*.deb g++ clang-14 cmake ninja-build \
    pkgconf python3" >"$work/libraries.log" 2>&1 || die "libweft-dev cannot be installed, see $work/libraries.log"
  mkdir -p "$bare/weft/tests"
  cp -r "$root/README.md" "$bare/weft/"
  cp -r "$root/tests/install" "$bare/weft/tests/"
  for compiler in g++ clang++-14; do
    inside "cd /weft && python3 -B tests/install/ways.py prefix /usr --work /ways --compiler $compiler"
    say "hello greets, built by $compiler with libweft-dev"
  done
}

[ $# -gt 0 ] || set -- lintian root libraries
for what; do
  say "$what"
  "check_$what"
done
rm -rf "$bare"
