# Read by the scripts here: Debian's packages and sources for another architecture than this machine's, or as source, by
# lists of their own, so that nothing of this machine's apt changes.

debian_lists() {  # FOLDER ARCH
  local suite line
  lists=$1 arch=$2
  mkdir -p "$lists"/{state/partial,cache/archives/partial}
  if [ ! -s "$lists/sources.list" ]; then
    # The mirrors of this machine, of Debian alone.
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Identifier: Packages' |
      sed -n 's/^Debian \(.*\)$/\1/p' | sort -u | while read -r line; do
        printf 'deb %s\ndeb-src %s\n' "$line" "$line"
      done >"$lists/sources.list.new"
    [ -s "$lists/sources.list.new" ] || { echo "no mirror of Debian in this machine's apt" >&2; return 1; }
    : >"$lists/status"
    mv "$lists/sources.list.new" "$lists/sources.list"
  fi
  [ -e "$lists/updated" ] && return
  debian_apt update
  touch "$lists/updated"
}
debian_apt() { debian_with apt-get -qq "$@"; }
debian_cache() { debian_with apt-cache "$@"; }
debian_with() {  # PROGRAM [options]
  local program=$1; shift
  "$program" -o Dir::Etc::sourcelist="$lists/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$lists/state" \
    -o Dir::State::lists="$lists/state" -o Dir::State::status="$lists/status" -o Dir::Cache="$lists/cache" \
    -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=root -o Acquire::Languages=none \
    "$@" </dev/null
}
