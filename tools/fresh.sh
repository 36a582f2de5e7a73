#!/bin/sh
# Does what a newcomer does first, as a newcomer has it: a clone of the commit that is
# checked out, in a folder of its own, with empty Go caches. Prints how long each command
# took. It downloads and compiles everything, so it takes half an hour and about 10 GB,
# which are given back at the end.
set -eu
cd "$(dirname "$0")/.."

home=$(mktemp -d)
# Modules are unpacked read-only.
trap 'chmod -R u+w "$home"; rm -rf "$home"' EXIT
trap 'exit 130' INT TERM
unset GOFLAGS
export GOPATH="$home/go" GOMODCACHE="$home/go/pkg/mod" GOCACHE="$home/cache"

git clone -q . "$home/clone"
cd "$home/clone"

# try runs a command and says how long it took. The first that fails ends it all.
try() {
	printf '\n$ %s\n' "$*"
	begun=$(date +%s)
	"$@" </dev/null
	printf '==> %d s: %s\n' $(($(date +%s) - begun)) "$*"
}

try go test ./...
try make test
try make demo
