package app

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

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

// notes is private state.
type notes map[string][]byte

func (n notes) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return n[key], nil }

func (n notes) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	n[key] = value
	return nil
}

// A refresh sees the repositories one after the other. The last one is in the state.
func TestRenamedRepoIsKept(t *testing.T) {
	for name, row := range map[string]struct {
		seen    []string
		planned types.String
		want    string // "" if the plan keeps its own
	}{
		"not renamed":             {[]string{"acme/web"}, types.StringValue("acme/web"), ""},
		"another one":             {[]string{"acme/web"}, types.StringValue("acme/api"), ""},
		"the old name":            {[]string{"acme/web", "inc/web"}, types.StringValue("acme/web"), "inc/web"},
		"the old name, otherwise": {[]string{"acme/web", "inc/web"}, types.StringValue("Acme/web.git"), "inc/web"},
		"the new name":            {[]string{"acme/web", "inc/web"}, types.StringValue("inc/web"), ""},
		"renamed, and another":    {[]string{"acme/web", "inc/web"}, types.StringValue("acme/api"), ""},
		"renamed twice":           {[]string{"acme/web", "inc/web", "inc/site"}, types.StringValue("acme/web"), "inc/site"},
		"followed, then renamed":  {[]string{"acme/web", "inc/web", "inc/site"}, types.StringValue("inc/web"), "inc/site"},
		"renamed back":            {[]string{"acme/web", "inc/web", "acme/web"}, types.StringValue("acme/web"), ""},
		"unknown":                 {[]string{"acme/web", "inc/web"}, types.StringUnknown(), ""},
		"imported":                {[]string{"", "inc/web"}, types.StringValue("acme/web"), ""},
	} {
		private, state := notes{}, plainApp()
		var diags diag.Diagnostics
		for i, repo := range row.seen {
			before := state.Repo
			if state.Repo = attributes.StringOrNull(repo); i > 0 {
				noteFormerRepo(t.Context(), private, before, state.Repo, &diags)
			}
		}
		plan := state
		plan.Repo = row.planned
		keepRenamedRepo(t.Context(), private, state, &plan, &diags)
		want := row.planned
		if row.want != "" {
			want = types.StringValue(row.want)
		}
		if !plan.Repo.Equal(want) || (len(diags) > 0) != (row.want != "") || diags.HasError() {
			t.Errorf("%s: got %s planned and %v, want %s", name, plan.Repo, diags, want)
		}
	}
}
