package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// A service may write every number as 320.0, or as a string. Every type is created, planned
// empty, changed and destroyed.
func TestNumbersInAnotherForm(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(float64) any{
		"with a point": func(n float64) any { return json.RawMessage(fmt.Sprintf("%.1f", n)) },
		"as a string":  func(n float64) any { return fmt.Sprint(n) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake, _ := startRecorded(t)
			w := newWorkspaceBeside(t, front{answer: func(_ *http.Request, answer any) any { return withNumbers(answer, write) }}.before(t, fake), "")
			w.write("main.tf", everyType(t, "before"))
			w.apply()
			w.mustBeSettled()
			w.write("main.tf", everyType(t, "after"))
			w.apply()
			w.mustBeSettled()
			w.destroysAll(fake)
		})
	}
}

// withNumbers returns an answer with each number written in another way.
func withNumbers(answer any, write func(float64) any) any {
	switch value := answer.(type) {
	case float64:
		return write(value)
	case []any:
		for i := range value {
			value[i] = withNumbers(value[i], write)
		}
	case map[string]any:
		for key := range value {
			value[key] = withNumbers(value[key], write)
		}
	}
	return answer
}

// A service keeps names in its own form. The error says which and what to write, and
// following it leads to an empty plan. Nothing is made twice or lost.
func TestKeptNames(t *testing.T) {
	t.Parallel()
	for kind, row := range map[string]struct{ resource, asked, kept, path string }{
		"app":      {"resource \"hosting_app\" \"test\" {\n  instance_id = hosting_instance.test.id\n  name = NAME\n  repo = \"octo/guestbook\"\n  deletion_protection = false\n}\n", "Guest Book", "guest-book", "/apps/import"},
		"database": {"resource \"hosting_postgres_database\" \"test\" {\n  instance_id = hosting_instance.test.id\n  name = NAME\n  deletion_protection = false\n}\n", "Guest Book", "guest_book", "/postgres/databases"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			fake := startFake(t)
			served := front{request: func(r *http.Request) {
				if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, row.path) {
					body, _ := io.ReadAll(r.Body)
					body = bytes.ReplaceAll(body, []byte(row.asked), []byte(row.kept))
					r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
				}
			}}.before(t, fake)
			w := newWorkspaceBeside(t, served, "")
			instance := instanceHCL("engines = { postgres = {}, apps = {} }")
			w.configure(instance + strings.Replace(row.resource, "NAME", fmt.Sprintf("%q", row.asked), 1))
			r := w.run("apply", "-auto-approve", "-no-color")
			must(t, r.exit == 1 && strings.Contains(r.output, fmt.Sprintf("keeps it as %q", row.kept)) && strings.Contains(r.output, fmt.Sprintf("Write name = %q", row.kept)), "the apply: got exit %d, want 1 and the kept name:\n%s", r.exit, r.output)
			id := idOf(t, fake, "test")
			again := w.run("apply", "-auto-approve", "-no-color")
			must(t, again.exit == 1 && strings.Contains(again.output, "untaint"), "a second apply: got exit %d, want 1 and the advice to untaint it:\n%s", again.exit, again.output)
			w.configure(instance + strings.Replace(row.resource, "NAME", fmt.Sprintf("%q", row.kept), 1))
			w.says(0, nil, "untaint", strings.Split(row.resource, `"`)[1]+".test")
			w.apply()
			w.mustBeSettled()
			countKept(t, fake, id, kind, row.kept)
		})
	}
}

func countKept(t *testing.T, fake *fakeservicetest.Server, id, kind, kept string) {
	t.Helper()
	if _, there := fake.App(id, kept); kind == "app" && !there {
		t.Errorf("app %s: got none, want it", kept)
	}
}
