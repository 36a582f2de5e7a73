#!/bin/sh
# Runs the acceptance tests and the examples on CLIs, one after the other, and prints a
# line for each. `make test-matrix` runs it in the repository's root.
#
#   tools/matrix.sh OLDEST 'NAME...' [ARGUMENTS OF go test...]
#
# NAME is a module of tools/cli. Its tests also get the CLI of the version OLDEST, with whose
# states it must work. A test that is skipped because of the CLI's version counts as such.
# Any other skip is a failure. A CLI that is pinned to a pre-release fails nothing.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
oldest=$1 names=$2
shift 2

# is_beta says whether a CLI is pinned to a pre-release.
is_beta() { grep -q '^require .* v.*-' "$root/tools/cli/$1/go.mod"; }

# The CLIs are found or built first, so that one that is missing ends it at once.
for name in $names; do
	"$root/tools/cli.sh" "$name" >/dev/null || is_beta "$name"
	"$root/tools/cli.sh" "${name%-*}-$oldest" >/dev/null
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The tests see nothing of a real account or of the caller's own CLI settings.
unset HOSTING_BASE_URL HOSTING_API_KEY TF_CLI_CONFIG_FILE TF_ACC_PROVIDER_HOST
export TF_ACC=1 CHECKPOINT_DISABLE=1 HOSTING_TEST_STRICT=1 HOSTING_TEST_NIGHT=1

# count prints how many lines of a file match a pattern.
count() { grep -c "$1" "$2" || true; }

status=0
for name in $names; do
	if ! TF_ACC_TERRAFORM_PATH=$("$root/tools/cli.sh" "$name"); then
		printf '%-16s cannot be built, but it is a pre-release\n' "$name" >>"$folder/table"
		continue
	fi
	HOSTING_TEST_OLDEST_CLI=$("$root/tools/cli.sh" "${name%-*}-$oldest")
	export TF_ACC_TERRAFORM_PATH HOSTING_TEST_OLDEST_CLI
	case $name in
	tofu-*) export TF_ACC_PROVIDER_HOST=registry.opentofu.org ;;
	*) unset TF_ACC_PROVIDER_HOST ;;
	esac
	events=$folder/$name
	verdict=ok
	echo "==> $name: $TF_ACC_TERRAFORM_PATH"
	"$root/.bin/gotestsum" --format pkgname --hide-summary skipped --jsonfile "$events" -- \
		-count 1 -timeout 1h "$@" ./internal/acceptance ./internal/examples || verdict=FAILED
	passed=$(count '"Action":"pass".*"Test":' "$events")
	failed=$(count '"Action":"fail".*"Test":' "$events")
	skipped=$(count '"Action":"skip".*"Test":' "$events")
	by_version=$(count '"Action":"output".*skipped by version: ' "$events")
	if [ "$passed" = 0 ] || [ "$skipped" != "$by_version" ]; then
		verdict=FAILED
	fi
	if [ "$verdict" = FAILED ] && is_beta "$name"; then
		verdict='FAILED, but it is a pre-release'
	elif [ "$verdict" = FAILED ]; then
		status=1
	fi
	printf '%-16s %5d passed %4d failed %4d skipped by version %3d skipped otherwise  %s\n' \
		"$name" "$passed" "$failed" "$by_version" "$((skipped - by_version))" "$verdict" >>"$folder/table"
done
echo
cat "$folder/table"
exit "$status"
