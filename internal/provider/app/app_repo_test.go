package app

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
)

// A state has a repository in the form that a configuration may contain.
func TestRepoOfARecord(t *testing.T) {
	for _, row := range []struct{ state, record, want string }{
		{"", "acme/web.git", "acme/web"},
		{"", "Acme/web/", "Acme/web"},
		{"acme/web", "Acme/Web.git", "acme/web"},
		{"acme/web", "", "acme/web"},
		{"acme/web", "acme/api.git", "acme/api"},
	} {
		m := appModel{Repo: attributes.StringOrNull(row.state)}
		m.setRecord(client.App{Repo: row.record}, secretKeys{})
		if m.Repo.ValueString() != row.want {
			t.Errorf("%q after the record %q: got %s, want %q", row.state, row.record, m.Repo, row.want)
		}
	}
}

func TestSameRepo(t *testing.T) {
	for _, row := range []struct {
		a, b string
		want bool
	}{
		{"acme/web", "acme/web", true},
		{"acme/web", "Acme/Web", true},
		{"acme/web.git", "acme/web", true},
		{"acme/web", "acme/web.GIT", true},
		{"acme/web/", "acme/web", true},
		{"/acme/web.git/", "acme/web", true},
		{"acme/web ", "acme/web", true},
		{"acme/web", "acme/api", false},
		{"acme/web", "other/web", false},
		{"acme/web", "acme/web.js", false},
		{"acme/web", "", false},
	} {
		if got := sameRepo(row.a, row.b); got != row.want {
			t.Errorf("sameRepo(%q, %q): got %t, want %t", row.a, row.b, got, row.want)
		}
	}
}
