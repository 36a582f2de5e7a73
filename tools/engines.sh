#!/bin/sh
# Makes sure that the machine has what the fake service runs for real, and the
# browser that the guestbook is verified in:
#
#   PostgreSQL's server programs   required
#   PgBouncer                      for the pooled port; the fake does without
#   Chromium                       the verification does without, over HTTP
#
# On Debian and Ubuntu, as root, what is missing is installed. Elsewhere the
# script says what to install, and fails if it cannot be done without.
set -eu

has_postgres() {
	command -v postgres >/dev/null 2>&1 && return 0
	for folder in /usr/lib/postgresql/*/bin; do
		[ -x "$folder/postgres" ] && return 0
	done
	return 1
}

has_pgbouncer() {
	command -v pgbouncer >/dev/null 2>&1 || [ -x /usr/sbin/pgbouncer ]
}

has_chromium() {
	for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
		command -v "$name" >/dev/null 2>&1 && return 0
	done
	return 1
}

packages=
has_postgres || packages="$packages postgresql"
has_pgbouncer || packages="$packages pgbouncer"
# A browser without fonts draws boxes.
has_chromium || packages="$packages chromium fonts-dejavu-core"
[ -n "$packages" ] || exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "Installing$packages." >&2
	# Debian's package makes a cluster of its own and starts it, unless it is
	# told not to. The fake makes its own.
	if ! [ -e /etc/postgresql-common/createcluster.conf ] && ! has_postgres; then
		mkdir -p /etc/postgresql-common
		echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
	fi
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq >&2 || true
	# One by one: a package that cannot be had must not keep the others away.
	# dpkg asks nothing about the file that was just written.
	for package in $packages; do
		apt-get install -y -qq --no-install-recommends -o Dpkg::Options::=--force-confold "$package" >/dev/null ||
			echo "$package could not be installed." >&2
	done
fi

has_chromium || echo "Chromium was not found: the guestbook is verified over HTTP instead of in a browser." >&2
has_pgbouncer || echo "PgBouncer was not found: the fake has no pooled port." >&2
if ! has_postgres; then
	cat >&2 <<'END'
PostgreSQL's server programs, version 14 or newer, were not found on PATH or in
/usr/lib/postgresql/*/bin. Install them:

  Debian, Ubuntu   apt-get install postgresql pgbouncer chromium
  Fedora           dnf install postgresql-server pgbouncer chromium
  macOS            brew install postgresql@17 pgbouncer, and put its bin folder on PATH
END
	exit 1
fi
