package portal

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// A page only reads, so an operation that changes something has a form.
func TestPagesOnlyRead(t *testing.T) {
	t.Parallel()
	for _, s := range pageRoutes {
		for _, operation := range s.does {
			if !strings.HasPrefix(operation, "GET ") {
				t.Errorf("the page %s does %s: its form belongs in formActions", s.pattern, operation)
			}
		}
	}
}

// These pages and forms do something that the API cannot do.
func TestOperationsOfPlaces(t *testing.T) {
	t.Parallel()
	var got []string
	for _, s := range pageRoutes {
		if len(s.does) == 0 {
			got = append(got, "GET "+s.pattern)
		}
	}
	for _, a := range formActions {
		if len(a.does) == 0 {
			got = append(got, "POST "+a.pattern)
		}
	}
	want := []string{
		"GET /access",
		"POST /access",
		"POST /access/{key}/revoke",
		"POST /access/applications/{application}/disconnect",
		"POST /integrations/{endpoint}/test",
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages and forms without an operation of the API: got %q, want %q", got, want)
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
