#!/usr/bin/env bash
# The section "Vendor it" of the README, done as it says on a machine without network: `src` alone in an empty folder, with
# Debian 13's own rustc and cargo (1.85). Each program must give the owner's answers to the byte, the static one in an
# empty root too, and what is built in another folder must be the same bit for bit. Needs root, for the chroot.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD
debian=$BAREWIRE_CACHE/debian13
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { printf 'vendor: %s\n' "$*" >&2; exit 1; }

# block LANGUAGE: what the first such block of the section holds.
block() {
  awk -v fence="\`\`\`$1" '/^## /{on = $0 == "## Vendor it"} on && inside && /^```/{exit} on && inside; on && $0 == fence{inside = 1}' README.md
}
block toml >"$work/manifest"
block sh >"$work/commands"
mapfile -t commands <"$work/commands"
[ ${#commands[@]} -ge 1 ] && [ ${#commands[@]} -le 5 ] || fail "the README has ${#commands[@]} commands, not one to five"
[ "$(wc -l <"$work/manifest")" -eq 5 ] || fail "the README's Cargo.toml has not five lines"
version=$(sed -n 's/^version = //p' Cargo.toml)
grep -qx "version = $version" "$work/manifest" || fail "the README's Cargo.toml is of another version"

sed -n 's/^> //p' tests/transcripts/01-owner.txt >"$work/session"
sed -n 's/^< //p' tests/transcripts/01-owner.txt >"$work/answers"

# A clone that has nothing but `src`, and beside it the folder that is to hold the copy, at two places.
for place in one another/place; do
  mkdir -p "$work/$place/barewire" "$work/$place/mine"
  cp -R src "$work/$place/barewire/"
  cp "$work/manifest" "$work/$place/mine/Cargo.toml"
done

# Runs in the Debian root: each command as it stands, then each program on the session.
cat >"$work/build" <<'EOF'
set -euo pipefail
cd "/src/$1/mine"
while IFS= read -r line; do
  start=$SECONDS
  bash -euc "$line" || { printf 'failed: %s\n' "$line" >&2; exit 1; }
  printf '%3s s  %s\n' $((SECONDS - start)) "$line"
done </src/commands
for program in target/release/barewire target/*/release/barewire barewire; do
  timeout 20 "./$program" </src/session | cmp - /src/answers
  printf 'answers as it must: %s, %s bytes\n' "$program" "$(stat -c %s "$program")"
done
EOF

[ -f "$debian/.ready" ] || rm -rf --one-file-system "$debian"
export DEBIAN_FRONTEND=noninteractive
timeout 1200 bash "$BAREWIRE_SHARED/tools/debian13.sh" "$debian"
in_debian() { timeout 600 bash "$BAREWIRE_SHARED/tools/debian13.sh" "$debian" "$work" "$@"; }
in_debian rustc --version
for place in one another/place; do in_debian bash build "$place"; done

# An empty root: no loader, no library, no /proc.
static=$(cd "$work/one/mine" && ls target/*/release/barewire)
mkdir "$work/empty"
cp "$work/one/mine/$static" "$work/empty/barewire"
timeout 20 chroot "$work/empty" /barewire <"$work/session" | cmp - "$work/answers"
echo "answers as it must in an empty root: $static"

for program in "$static" barewire; do
  first=$(sha256sum <"$work/one/mine/$program")
  second=$(sha256sum <"$work/another/place/mine/$program")
  [ "$first" = "$second" ] || fail "$program differs from folder to folder"
  echo "the same in two folders: $program, sha256 ${first%% *}"
done

# The crate beside its copies, built with the compiler that is here, says the same.
timeout 20 "$here/target/release/barewire" <"$work/session" | cmp - "$work/answers"
echo "the release build of the clone gives the same answers"
