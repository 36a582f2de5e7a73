#!/bin/sh
# Makes sure that the machine has what the fake service runs for real, the
# browser that the guestbook is verified in, and what the race detector needs:
#
#   PostgreSQL's server programs   required
#   PgBouncer                      for the pooled port; the fake does without
#   redis-server                   for the redis engine; the fake does without
#   bubblewrap, on Linux           keeps apps and builds from the rest of the machine
#   psql                           one test connects with it
#   Chromium                       the verification does without, over HTTP
#   a C compiler                   for the race detector, and to build the prose linter
#   Node.js and npm                for the couchdb engine; the fake does without. Tests use
#                                  JavaScript clients
#   Python 3                       for the tests: a webhook receiver and a guide use it
#   openssl                        for the tests: a guide makes a secret with it
#   ip, on Linux                   for the tests: one reaches the fake from another network
#
# On Debian and Ubuntu, as root, what is missing is installed. Elsewhere the
# script says what to install, and fails if it cannot be done without.
#
#   tools/engines.sh            all of them
#   tools/engines.sh compiler   only the C compiler, which is then required
set -eu

only=${1:-}

has() { command -v "$1" >/dev/null 2>&1; }

has_postgres() {
	has postgres && return 0
	for folder in /usr/lib/postgresql/*/bin; do
		[ -x "$folder/postgres" ] && return 0
	done
	return 1
}

has_pgbouncer() { has pgbouncer || [ -x /usr/sbin/pgbouncer ]; }

has_chromium() {
	for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
		has "$name" && return 0
	done
	return 1
}

has_compiler() { has cc || has gcc || has clang; }

packages=
if [ -z "$only" ]; then
	has_postgres || packages="$packages postgresql"
	has psql || packages="$packages postgresql-client"
	has_pgbouncer || packages="$packages pgbouncer"
	has redis-server || packages="$packages redis-server"
	# A browser without fonts draws boxes.
	[ "$(uname)" != Linux ] || has bwrap || packages="$packages bubblewrap"
	has_chromium || packages="$packages chromium fonts-dejavu-core"
	has node || packages="$packages nodejs"
	has npm || packages="$packages npm"
	has python3 || packages="$packages python3"
	has openssl || packages="$packages openssl"
	[ "$(uname)" != Linux ] || has ip || packages="$packages iproute2"
fi
has_compiler || packages="$packages gcc libc6-dev"
[ -n "$packages" ] || exit 0

# install installs packages without starting what they bring: Debian starts a
# cluster, a pooler and a Redis of its own, and the fake makes its own. Both ways of
# saying so are taken back afterwards.
install() {
	policy=/usr/sbin/policy-rc.d
	clusters=/etc/postgresql-common/createcluster.conf
	made=
	if ! [ -e "$policy" ]; then
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod +x "$policy"
		made="$made $policy"
	fi
	if ! [ -e "$clusters" ] && ! has_postgres; then
		mkdir -p "$(dirname "$clusters")"
		echo 'create_main_cluster = false' >"$clusters"
	fi
	export DEBIAN_FRONTEND=noninteractive
	apt-get -o DPkg::Lock::Timeout=300 update -qq >&2 || true
	# One by one: a package that cannot be had must not keep the others away.
	# dpkg asks nothing about the file that was just written.
	for package in "$@"; do
		apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 \
			-o Dpkg::Options::=--force-confold "$package" >/dev/null ||
			echo "$package could not be installed." >&2
	done
	# shellcheck disable=SC2086 # a list of paths without spaces
	[ -z "$made" ] || rm -f $made
}

if [ "$(id -u)" = 0 ] && has apt-get; then
	echo "Installing$packages." >&2
	# shellcheck disable=SC2086 # a list of words
	install $packages
fi

if [ "$only" = compiler ]; then
	has_compiler && exit 0
	echo "No C compiler was found: install gcc or clang." >&2
	exit 1
fi
has_chromium || echo "Chromium was not found: the guestbook is verified over HTTP instead of in a browser." >&2
has_pgbouncer || echo "PgBouncer was not found: the fake has no pooled port." >&2
has redis-server || echo "redis-server was not found: the fake keeps a record of the redis engine." >&2
[ "$(uname)" != Linux ] || has bwrap || echo "bubblewrap was not found: apps and builds are not isolated." >&2
if ! has node || ! has npm; then
	echo "Node.js or npm was not found: the fake keeps a record of the couchdb engine, and JavaScript clients are not tried." >&2
fi
has python3 || echo "Python 3 was not found: the examples in Python are not tried." >&2
has_compiler || echo "No C compiler was found: the tests' race detector needs one." >&2
if ! has_postgres; then
	cat >&2 <<'END'
PostgreSQL's server programs, version 14 or newer, were not found on PATH or in
/usr/lib/postgresql/*/bin. Install them:

  Debian, Ubuntu   apt-get install postgresql pgbouncer redis-server bubblewrap chromium gcc nodejs npm python3
  Fedora           dnf install postgresql-server pgbouncer redis bubblewrap chromium gcc nodejs npm python3
  macOS            brew install postgresql@17 pgbouncer redis node python, and put its bin folder on PATH
END
	exit 1
fi
