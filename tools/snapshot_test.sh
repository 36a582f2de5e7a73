#!/bin/sh
# Tries a release as people install it: tools/snapshot_test.sh DIST CLI...
#
# The sums hold. The programs say which version they are. Then the provider's archive for
# this machine is laid into a filesystem mirror, and each CLI installs it from there with
# init, and plans, applies and destroys with it, against the fake out of its own archive.
set -eu

dist=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
fake=
cleanup() {
	[ -z "$fake" ] || kill "$fake" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

fail() {
	echo "$*" >&2
	exit 1
}

# says runs a command, whose output must have a line that begins so, and prints the line.
says() {
	line=$1
	shift
	"$@" >"$work/said" 2>&1 || fail "$* ended with $?: $(cat "$work/said")"
	grep "^$line" "$work/said" || fail "$* did not say \"$line\": $(cat "$work/said")"
}

sums=$(echo "$dist"/terraform-provider-hosting_*_SHA256SUMS)
version=$(basename "$sums" _SHA256SUMS)
version=${version#terraform-provider-hosting_}
platform=$(go env GOOS)_$(go env GOARCH)

echo "==> Sums of $version"
# The manifest takes its name when it is published.
cp "$(dirname "$0")/../terraform-registry-manifest.json" "$work/terraform-provider-hosting_${version}_manifest.json"
for file in "$dist"/*; do
	[ -f "$file" ] && ln -s "$file" "$work/"
done
(cd "$work" && sha256sum --quiet --check "$(basename "$sums")")
[ ! -f "$sums.sig" ] || gpg --quiet --verify "$sums.sig" "$sums"
wc -l <"$sums" | xargs printf '%s files\n'

echo "==> Programs"
for program in fakeservice probe; do
	tar -xzf "$dist/${program}_${version}_$platform.tar.gz" -C "$work" "$program"
	[ "$("$work/$program" --version)" = "$program $version" ] || fail "$program does not say that it is $version."
done

HOSTING_API_KEY=key-of-the-snapshot
export HOSTING_API_KEY
FAKESERVICE_API_KEY=$HOSTING_API_KEY "$work/fakeservice" --listen 127.0.0.1:0 --speed 2400 --data-plane off \
	--ready-file "$work/ready" --log-level debug >"$work/fake.out" 2>&1 &
fake=$!
# It is there in moments, or ends with an error.
until [ -s "$work/ready" ]; do
	kill -0 "$fake" 2>/dev/null || fail "The fake ended: $(cat "$work/fake.out")"
	sleep 0.1
done
HOSTING_BASE_URL=$(cat "$work/ready")
export HOSTING_BASE_URL

for host in registry.terraform.io registry.opentofu.org; do
	mkdir -p "$work/mirror/$host/instance-hosting/hosting"
	ln -s "$dist/terraform-provider-hosting_${version}_$platform.zip" "$work/mirror/$host/instance-hosting/hosting/"
done
cat >"$work/cli.tfrc" <<END
provider_installation {
  filesystem_mirror { path = "$work/mirror" }
}
END
export TF_CLI_CONFIG_FILE="$work/cli.tfrc" CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1

for cli in "$@"; do
	product=$("$cli" version | head -n 1)
	echo "==> $product"
	folder=$(mktemp -d "$work/module.XXXXXX")
	cat >"$folder/main.tf" <<END
terraform {
  required_providers {
    hosting = {
      source  = "instance-hosting/hosting"
      version = "$version"
    }
  }
}

resource "hosting_instance" "shop" {
  name                = "shop"
  plan                = "free"
  region              = "eu-central"
  engines             = { postgres = {} }
  deletion_protection = false
}

resource "hosting_allowlist" "shop" {
  instance_id = hosting_instance.shop.id
  cidrs       = ["203.0.113.0/24"]
}
END
	cd "$folder"
	says '- Installed' "$cli" init -no-color -input=false
	says "+ provider .*/instance-hosting/hosting v$version\$" "$cli" version
	grep -raq "$version" .terraform/providers || fail "The provider does not know that it is $version."
	says 'Plan: 2 to add' "$cli" plan -no-color -input=false -out=plan.tfplan
	says 'Apply complete' "$cli" apply -no-color -input=false plan.tfplan
	says 'No changes' "$cli" plan -no-color -input=false -detailed-exitcode
	says 'Destroy complete' "$cli" destroy -no-color -input=false -auto-approve
done
echo "All passed."
