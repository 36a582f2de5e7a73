#!/bin/sh
# Prints the path of the Terraform or OpenTofu CLI to use, and builds one where
# PATH has none that is new enough.
#
#   tools/cli.sh demo   terraform or tofu, 1.11 or newer
#   tools/cli.sh test   terraform, 1.14 or newer: the first with list resources
#                       and actions, which tests and documentation need
#
# Only the path goes to standard output, so that the script can be used in a
# command substitution. What a build has to say goes to standard error.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)

# minor prints the minor version of a 1.x CLI, and nothing for any other.
# Checking for updates is turned off: the answer does not depend on the network.
minor() {
	CHECKPOINT_DISABLE=1 "$1" version -json 2>/dev/null |
		sed -n 's/.*"terraform_version": *"1\.\([0-9]*\)\..*/\1/p'
}

# use prints the path of the named program on PATH and ends the script, if it
# has at least the wanted minor version.
use() {
	path=$(command -v "$1") || return 0
	found=$(minor "$path")
	if [ -n "$found" ] && [ "$found" -ge "$2" ]; then
		printf '%s\n' "$path"
		exit 0
	fi
}

case "${1:-}" in
demo)
	use terraform 11
	use tofu 11
	;;
test)
	use terraform 14
	;;
*)
	echo "usage: tools/cli.sh demo|test" >&2
	exit 2
	;;
esac

# The variables of an outer make would make this one print what it does.
env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory -C "$root" .bin/terraform >&2
printf '%s\n' "$root/.bin/terraform"
