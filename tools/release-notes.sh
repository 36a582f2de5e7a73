#!/bin/sh
# Prints what CHANGELOG.md says of a version, which is what the release says:
#
#   tools/release-notes.sh 0.1.0    the section of that version
#   tools/release-notes.sh --next   the version that it begins with
set -eu
cd "$(dirname "$0")/.."

if [ "${1:-}" = --next ]; then
	sed -n 's/^## \([^ ]*\) (.*/\1/p' CHANGELOG.md | head -n 1
	exit
fi
wanted=${1:?usage: tools/release-notes.sh VERSION|--next}
notes=$(awk -v wanted="$wanted" '/^## /{in_it = ($2 == wanted); next} in_it' CHANGELOG.md)
if [ -z "$notes" ]; then
	echo "CHANGELOG.md has no section for $wanted." >&2
	exit 1
fi
if grep -q "^## $wanted (Unreleased)$" CHANGELOG.md; then
	echo "CHANGELOG.md says that $wanted is not released: write the day into its heading." >&2
	exit 1
fi
printf '%s\n' "$notes"
