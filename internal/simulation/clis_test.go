package simulation

import (
	goversion "github.com/hashicorp/go-version"

	"github.com/instance-hosting/terraform-provider-hosting/internal/cliversion"
)

// A cliKind is one of the CLIs that the README promises.
type cliKind int

const (
	terraform116 cliKind = iota
	terraform111
	tofu112
	tofu111
	cliKinds
)

// String returns the name under which its transcripts are stored.
func (k cliKind) String() string {
	return [...]string{"terraform-1.16", "terraform-1.11", "tofu-1.12", "tofu-1.11"}[k]
}

// version returns the version that the CLI reports.
func (k cliKind) version() cliversion.Version {
	product := cliversion.Terraform
	if k.isTofu() {
		product = cliversion.OpenTofu
	}
	number := [...]string{"1.16.0", "1.11.0", "1.12.0", "1.11.0"}[k]
	return cliversion.Version{Product: product, Number: goversion.Must(goversion.NewVersion(number))}
}

// isTofu reports whether the CLI is OpenTofu. OpenTofu lets no provider defer a change,
// passes no identity to the second plan of a replacement, and refreshes an object that a
// removed block keeps.
func (k cliKind) isTofu() bool { return k == tofu111 || k == tofu112 }

// opensUnused reports whether the CLI's apply opens an ephemeral resource whose value is
// unused.
func (k cliKind) opensUnused() bool { return k != tofu112 }

// noIdentity reports whether the CLI stores no identities.
func (k cliKind) noIdentity() bool { return k == terraform111 || k == tofu111 }

// plansOrphansFirst reports whether the CLI plans a removed resource before it reads it.
func (k cliKind) plansOrphansFirst() bool { return k == terraform111 }
