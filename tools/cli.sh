#!/bin/sh
# Prints the path of the Terraform or OpenTofu CLI to use, and builds one where
# PATH has none that fits.
#
#   tools/cli.sh demo   terraform or tofu, 1.11 or newer
#   tools/cli.sh path   as demo, but nothing is built: without one it exits with 1
#   tools/cli.sh NAME   exactly the version that the module tools/cli/NAME pins,
#                       for example terraform-1.11
#
# Only the path goes to standard output, so that the script can be used in a
# command substitution. What a build has to say goes to standard error.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

# version prints the version of a CLI, and nothing for any other program.
# Checking for updates is turned off: the answer does not depend on the network.
version() {
	CHECKPOINT_DISABLE=1 "$1" version -json 2>/dev/null |
		sed -n 's/.*"terraform_version": *"\([^"]*\)".*/\1/p'
}

# use prints the path of the named program on PATH and ends the script, if it
# has at least the wanted minor version.
use() {
	path=$(command -v "$1") || return 0
	found=$(version "$path" | sed -n 's/^1\.\([0-9]*\)\..*/\1/p')
	if [ -n "$found" ] && [ "$found" -ge "$2" ]; then
		printf '%s\n' "$path"
		exit 0
	fi
}

# use_exactly does the same if the program has the wanted version and no other.
use_exactly() {
	path=$(command -v "$1") || return 0
	if [ "$(version "$path")" = "$2" ]; then
		printf '%s\n' "$path"
		exit 0
	fi
}

built=terraform
case "${1:-}" in
demo)
	use terraform 11
	use tofu 11
	;;
path)
	use terraform 11
	use tofu 11
	exit 1
	;;
*)
	pins=$root/tools/cli/${1:-none}/go.mod
	if [ ! -f "$pins" ]; then
		echo "usage: tools/cli.sh demo|path|$(cd "$root/tools/cli" && echo *-* | tr ' ' '|')" >&2
		exit 2
	fi
	built=$1
	use_exactly "${1%-*}" "$(sed -n 's/^require .* v//p' "$pins")"
	;;
esac

# The variables of an outer make would make this one print what it does.
env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory -C "$root" ".bin/$built" >&2
printf '%s\n' "$root/.bin/$built"
