package control_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/control"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// The README lists every control route, with its description, and no other.
func TestReadmeListsTheRoutes(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	for _, r := range control.Routes() {
		fmt.Fprintf(&table, "| `%s %s` | %s |\n", r.Method, r.Path, r.Description)
	}
	readme := must.Get(os.ReadFile("../../../cmd/fakeservice/README.md"))(t)
	_, after, _ := strings.Cut(string(readme), "\n| control route | meaning |\n| --- | --- |\n")
	got, _, _ := strings.Cut(after, "\n\n")
	if want := strings.TrimSpace(table.String()); got != want {
		t.Errorf("the table of control routes in cmd/fakeservice/README.md: got\n%s\nwant\n%s", got, want)
	}
}

// Anyone can read the list of control routes. It has each of them.
func TestIndexOfControlRoutes(t *testing.T) {
	t.Parallel()
	page := fakeservicetest.Visit(t, fakeservicetest.Start(t)).Open("/_fake/")
	for _, r := range control.Routes() {
		if line := r.Method + " " + r.Path + " " + r.Description; page.Status != http.StatusOK || !strings.Contains(page.Text(), line) {
			t.Errorf("the index: got status %d, want 200 with the line %q", page.Status, line)
		}
	}
}
