package portal

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

// The table of operations has each page and form of the portal, and no other. Each
// operation that changes something has a form.
func TestTableHasThePages(t *testing.T) {
	t.Parallel()
	want := []string{"GET /checkout/{token}", "POST /checkout/{token}", "GET /guides/apps"}
	for _, s := range pageRoutes {
		want = append(want, "GET "+Root+s.pattern)
	}
	for _, d := range formActions {
		want = append(want, "POST "+Root+d.pattern)
	}
	var got []string
	for _, o := range operations.All {
		got = append(got, o.Portal...)
		isForm := func(place string) bool { return strings.HasPrefix(place, "POST ") }
		if len(o.REST) > 0 && !o.Effect.Reads && !slices.ContainsFunc(o.Portal, isForm) {
			t.Errorf("to %s: got the pages %q, want a form: add it to formActions in portal/routes.go and to Portal in operations/table.go", o.Name, o.Portal)
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Errorf("pages and forms of portal/routes.go (-want) and of operations/table.go (+got) differ:\n%s", diff)
	}
}

// After the sign-in, a browser is only redirected to pages of the portal.
func TestWhereASignInLeads(t *testing.T) {
	t.Parallel()
	const first = Root + "/instances"
	for next, want := range map[string]string{
		"":                          first,
		"/portal/billing":           "/portal/billing",
		"/portal/instances?cursor=": "/portal/instances?cursor=",
		"//other.example/portal/":   first,
		"https://other.example/":    first,
		`/\other.example/portal/`:   first,
		"/api/v1/me":                first,
		"/portalx":                  first,
		"/portal/sign-in":           first,
		"/portal/../api/v1/me":      first,
		"javascript:alert(1)":       first,
	} {
		if got := localPath(next); got != want {
			t.Errorf("localPath(%q): got %q, want %q", next, got, want)
		}
	}
}

// A list in a text area has one entry per line or between commas, and variables have one
// per line.
func TestTextAreas(t *testing.T) {
	t.Parallel()
	if got := listed(" a, b\r\n\n c ,"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("listed: got %q, want a, b and c", got)
	}
	if got := lines(" a, b\r\n\n c ,"); !slices.Equal(got, []string{"a, b", "c ,"}) {
		t.Errorf("lines: got %q, want \"a, b\" and \"c ,\"", got)
	}
	env, err := variablesOf("A=1\r\n\r\nB= x=y \nC=\"1\\n2\"\nD=\"1\" 2\n")
	if want := map[string]string{"A": "1", "B": " x=y ", "C": "1\n2", "D": `"1" 2`}; err != nil || !maps.Equal(env, want) {
		t.Errorf("the variables: got %q and error %v, want %q", env, err, want)
	}
	if again, err := variablesOf(variableLines(env)); err != nil || !maps.Equal(again, env) {
		t.Errorf("the variables, read again: got %q and error %v, want %q", again, err, env)
	}
	if _, err := variablesOf("A"); err == nil {
		t.Error("variablesOf a line without =: got no error, want one")
	}
}
