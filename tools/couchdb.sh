#!/bin/sh
# Installs the npm packages with which the fake service runs CouchDB into .bin/couchdb,
# unless they are there. Without Node.js, npm or a registry it says so and succeeds: the
# fake then keeps a record of the couchdb engine.
set -eu
cd "$(dirname "$0")/.."

pinned=internal/fakeservice/couchdb/server
target=.bin/couchdb

# Only a complete installation has a copy of the list.
cmp -s "$pinned/package-lock.json" "$target/installed.json" && exit 0

if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
	echo "Node.js or npm was not found: the fake keeps a record of the couchdb engine." >&2
	exit 0
fi
echo "Installing CouchDB's npm packages." >&2
mkdir -p "$target"
rm -f "$target/installed.json"
cp "$pinned/package.json" "$pinned/package-lock.json" "$target/"
# The packages bring what they need compiled, so no script of theirs has to run.
if ! output=$(cd "$target" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline 2>&1); then
	printf '%s\n' "$output" >&2
	echo "CouchDB's npm packages could not be installed: the fake keeps a record of the couchdb engine." >&2
	exit 0
fi
cp "$pinned/package-lock.json" "$target/installed.json"
