#!/usr/bin/env bash
# Installs Debian packages in a clean system in a folder, uses them as a stranger would, and removes them:
#   packaging/deb/check.sh PACKAGE.deb...
# The system is this machine's release; needs root and debootstrap. ROOT_FOLDER keeps it for another time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

[ $# -gt 0 ] || { echo "usage: packaging/deb/check.sh PACKAGE.deb..." >&2; exit 2; }
for package in "$@"; do [ -f "$package" ] || { echo "no such package: $package" >&2; exit 1; }; done
command -v debootstrap > /dev/null || { echo "debootstrap is missing, please install it" >&2; exit 1; }
if [ "$(id -u)" != 0 ]; then
  sudo -n true 2> /dev/null || { echo "a clean system needs the rights of root" >&2; exit 1; }
  exec sudo "$0" "$@"
fi
# shellcheck source=/dev/null
. /etc/os-release
release=${VERSION_CODENAME:?this system does not tell the name of its release}

root=${ROOT_FOLDER:-$(mktemp -d)}
[ -n "${ROOT_FOLDER:-}" ] || trap 'rm -rf "$root"' EXIT
if [ ! -x "$root/usr/bin/dpkg" ]; then
  echo "== a clean $release"
  chmod 755 "$root"  # apt downloads as a user without rights
  components=main
  [ "$ID" != ubuntu ] || components=main,universe
  # Packages of its own are verified by the keys that debootstrap knows; nothing of this machine goes in.
  debootstrap --variant=minbase --components=$components "$release" "$root" > "$root.log" 2>&1 ||
    { tail -n 20 "$root.log" >&2; exit 1; }
  rm -f "$root.log"
fi
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }
# shellcheck disable=SC2016  # dpkg-query replaces it
packages() { inside dpkg-query --show --showformat='${Package}\n' | sort; }
quietly() { inside "$@" > "$root/tmp/log" 2>&1 || { tail -n 40 "$root/tmp/log" >&2; exit 1; }; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
quietly apt-get update
quietly apt-get install -y --no-install-recommends gcc libc6-dev pkg-config
inside find /usr -type f -o -type l | sort > "$root/tmp/before"

echo "== install"
rm -rf "$root/tmp/packages" && mkdir "$root/tmp/packages"
cp "$@" "$root/tmp/packages/"
names=()
for package in "$@"; do names+=("$(dpkg-deb --field "$package" Package)"); done
packages > "$root/tmp/packages_before"
quietly sh -c 'apt-get install -y --no-install-recommends /tmp/packages/*.deb'
echo "with it came: $(packages | comm -13 "$root/tmp/packages_before" - | paste -sd' ')"
for name in "${names[@]}"; do
  for file in copyright sbom.cdx.json; do
    [ -s "$root/usr/share/doc/$name/$file" ] || { echo "$name has no $file" >&2; exit 1; }
  done
done

echo "== use"
cp examples/example.c "$root/tmp/example.c"
# shellcheck disable=SC2016  # it is the shell inside that asks pkg-config
inside sh -c 'cd /tmp && gcc -Wall -Wextra -Werror example.c $(pkg-config --cflags --libs detops) -o example && ./example' |
  tee "$root/tmp/printed"
grep -qx '3 4 4 6' "$root/tmp/printed" || { echo "the program of README printed something else than 3 4 4 6" >&2; exit 1; }
inside detops info | tee "$root/tmp/printed"
version=$(dpkg-deb --field "$1" Version)
grep -Eqx "version +$version" "$root/tmp/printed" ||
  { echo "the library in the packages of $version calls itself something else" >&2; exit 1; }

echo "== remove"
quietly apt-get purge -y --autoremove "${names[@]}"
inside find /usr -type f -o -type l | sort > "$root/tmp/after"
if ! diff "$root/tmp/before" "$root/tmp/after" > "$root/tmp/left"; then
  echo "left behind or lost:" >&2
  cat "$root/tmp/left" >&2
  exit 1
fi
echo "nothing is left behind"
