#!/bin/sh
# Runs each fuzz target for a time: tools/fuzz.sh 60s. What one finds stays in
# the package's testdata/fuzz, and every later test run tries it again.
set -eu
cd "$(dirname "$0")/.."
for package in internal/client internal/client/transport internal/provider/base internal/provider/connection webhook; do
	for target in $(go test -C "$package" -list '^Fuzz' | grep '^Fuzz'); do
		echo "==> $package $target for $1"
		go test -C "$package" -vet=off -run '^$' -fuzz "^$target\$" -fuzztime "$1"
	done
done
