// Package cliversion identifies the Terraform or OpenTofu that a program is, and the
// features of the provider that it supports. One table lists since when each CLI has each
// feature.
package cliversion

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"

	goversion "github.com/hashicorp/go-version"
)

// The names of the CLIs in the output of their version command.
const (
	Terraform = "Terraform"
	OpenTofu  = "OpenTofu"
)

// A Version identifies a CLI program.
type Version struct {
	Product string // Terraform or OpenTofu
	Number  *goversion.Version
}

// A Capability is a feature that not every CLI has. A test that needs it is skipped on a
// CLI without it. With HOSTING_TEST_STRICT=1 that is the only permitted reason for a
// skip.
type Capability struct {
	Name            string
	Terraform, Tofu *goversion.Version // the first version with it; nil if there is none
}

// The features that not every CLI has.
var (
	ResourceIdentity = Capability{"resource identity", since("1.12.0"), since("1.12.0")}
	ListResources    = Capability{"list resources", since("1.14.0"), nil}
	ProviderActions  = Capability{"actions", since("1.14.0"), nil}
	ActionFailures   = Capability{"on_failure of action triggers", since("1.16.0"), nil}
	DestroyTriggers  = Capability{"before_destroy of action triggers", since("1.16.0"), nil}
	LifecycleDestroy = Capability{"destroy in lifecycle", since("1.16.0"), since("1.12.0")}
	LifecycleEnabled = Capability{"enabled in lifecycle", nil, since("1.11.0")}
)

func since(number string) *goversion.Version { return goversion.Must(goversion.NewVersion(number)) }

// SkippedByVersion is the prefix of the text from Lacks. tools/matrix.sh counts skipped
// tests by it.
const SkippedByVersion = "skipped by version: "

// Lacks returns the reason why a CLI does not have a capability, or "" if it has it.
func (v Version) Lacks(c Capability) string {
	since := c.Terraform
	if v.Product == OpenTofu {
		since = c.Tofu
	}
	switch {
	case since == nil:
		return fmt.Sprintf("%s%s %s has no %s", SkippedByVersion, v.Product, v.Number, c.Name)
	case v.Number.LessThan(since):
		return fmt.Sprintf("%s%s %s has no %s, which came with %s", SkippedByVersion, v.Product, v.Number, c.Name, since)
	default:
		return ""
	}
}

// UnderTest returns the CLI that tests run: a path, or a name to look up on PATH.
func UnderTest() string {
	if path := os.Getenv("TF_ACC_TERRAFORM_PATH"); path != "" { //nolint:forbidigo // this function is for tests alone
		return path
	}
	return "terraform"
}

var line = regexp.MustCompile(`(?m)^(Terraform|OpenTofu) v(\S+)`)

// Of runs a program to find out which CLI it is.
func Of(ctx context.Context, cli string) (Version, error) {
	command := exec.CommandContext(ctx, cli, "version")
	command.Env = append(os.Environ(), "CHECKPOINT_DISABLE=1") //nolint:forbidigo // the program's is the caller's
	output, err := command.Output()
	if err != nil {
		return Version{}, fmt.Errorf("%s version: %w", cli, err)
	}
	parts := line.FindStringSubmatch(string(output))
	if parts == nil {
		return Version{}, fmt.Errorf("%s version answered %q", cli, output)
	}
	number, err := goversion.NewVersion(parts[2])
	return Version{parts[1], number}, err
}
