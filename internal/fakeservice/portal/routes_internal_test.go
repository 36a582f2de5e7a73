package portal

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/faces"
)

// places are the pages and forms that there are, as the table of faces names them, each
// with the operations of the document that it does.
func places() map[string][]string {
	all := map[string][]string{"GET /checkout/{token}": nil}
	for operation, pattern := range publicOperations {
		all["GET "+pattern] = []string{operation}
	}
	for _, s := range shows {
		all["GET "+Root+s.pattern] = s.operations
	}
	for _, d := range deeds {
		all["POST "+Root+d.pattern] = d.operations
	}
	return all
}

// Each operation of the document is done by a page or a form, one that changes something
// by a form, and nothing is said to be done that there is not.
func TestEveryOperationHasAPlace(t *testing.T) {
	t.Parallel()
	operations, err := apispec.Operations()
	if err != nil {
		t.Fatal(err)
	}
	methods, done := map[string]string{}, map[string]bool{}
	for _, o := range operations {
		methods[o.String()] = o.Method
	}
	for place, does := range places() {
		for _, o := range does {
			switch method, there := methods[o]; {
			case !there:
				t.Errorf("%s does %s, which is not in the document", place, o)
			case method != "GET" && !strings.HasPrefix(place, "POST "):
				t.Errorf("%s changes something and is done by %s", o, place)
			}
			done[o] = true
		}
	}
	for o := range methods {
		if !done[o] {
			t.Errorf("%s has neither a page nor a form", o)
		}
	}
}

// The table of faces says where the portal does what: each place of it is there and does
// the operation, and each that changes something is in it.
func TestPlacesAreInTheTableOfFaces(t *testing.T) {
	t.Parallel()
	there, told := places(), map[string]bool{}
	for _, o := range faces.Operations {
		for _, place := range o.Portal {
			does, is := there[place]
			if !is {
				t.Errorf("to %s: there is no %s", o.Name, place)
			}
			for _, way := range o.REST {
				if !slices.Contains(does, way) {
					t.Errorf("to %s: %s does not do %s", o.Name, place, way)
				}
			}
			told[place] = true
		}
	}
	for place := range there {
		if strings.HasPrefix(place, "POST ") && !told[place] {
			t.Errorf("%s is not in the table", place)
		}
	}
}

// What no browser may be led to stays in the portal.
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
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

// A text area holds one entry a line or between commas, and variables by their lines.
func TestTextAreas(t *testing.T) {
	t.Parallel()
	if got := listed(" a, b\r\n\n c ,"); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("the list is %q", got)
	}
	if got := lines(" a, b\r\n\n c ,"); !slices.Equal(got, []string{"a, b", "c ,"}) {
		t.Errorf("the lines are %q", got)
	}
	env, err := variablesOf("A=1\r\n\r\nB= x=y \nC=\"1\\n2\"\nD=\"1\" 2\n")
	if want := map[string]string{"A": "1", "B": " x=y ", "C": "1\n2", "D": `"1" 2`}; err != nil || !maps.Equal(env, want) {
		t.Errorf("the variables are %q, %v", env, err)
	}
	if again, err := variablesOf(variableLines(env)); err != nil || !maps.Equal(again, env) {
		t.Errorf("the variables are %q, and read again %q, %v", env, again, err)
	}
	if _, err := variablesOf("A"); err == nil {
		t.Error("a line without = is no variable")
	}
}
