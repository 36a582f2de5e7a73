package examples

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	block          = regexp.MustCompile(`(?ms)^(resource|module|variable|action|list) "(\w+)"(?: "(\w+)")? \{(.*?)^\}`)
	notProtected   = regexp.MustCompile(`(?m)^  deletion_protection\s*=\s*false$`)
	preventDestroy = regexp.MustCompile(`(?m)^    prevent_destroy\s*=\s*true$`)
)

// protected are the types with a deletion protection that must be turned off.
var protected = []string{"hosting_instance", "hosting_app", "hosting_postgres_database"}

// unprotected returns an override that lets a configuration's resources be destroyed, or ""
// if none is needed. The modules of the examples have the argument deletion_protection.
func unprotected(configuration string) string {
	var all strings.Builder
	for _, b := range block.FindAllStringSubmatch(configuration, -1) {
		kind, body := b[1], b[4]
		lifts := !notProtected.MatchString(body)
		switch {
		case kind == "module" && lifts:
			fmt.Fprintf(&all, "module %q {\n  deletion_protection = false\n}\n", b[2])
		case kind == "resource" && slices.Contains(protected, b[2]) && lifts:
			fmt.Fprintf(&all, "resource %q %q {\n  deletion_protection = false\n}\n", b[2], b[3])
		case kind == "resource" && preventDestroy.MatchString(body):
			fmt.Fprintf(&all, "resource %q %q {\n  lifecycle {\n    prevent_destroy = false\n  }\n}\n", b[2], b[3])
		}
	}
	return all.String()
}

func TestUnprotected(t *testing.T) {
	t.Parallel()
	got := unprotected(`
resource "hosting_instance" "a" {
  deletion_protection = true
}
resource "hosting_instance" "b" {
  deletion_protection = false
}
resource "hosting_allowlist" "c" {
  lifecycle {
    prevent_destroy = true
  }
}
resource "hosting_allowlist" "d" {
}
module "e" {
  source = "x"
}
variable "deletion_protection" {
}
`)
	want := `resource "hosting_instance" "a" {
  deletion_protection = false
}
resource "hosting_allowlist" "c" {
  lifecycle {
    prevent_destroy = false
  }
}
module "e" {
  deletion_protection = false
}
`
	if got != want {
		t.Errorf("the configuration: got\n%s\nwant\n%s", got, want)
	}
}
