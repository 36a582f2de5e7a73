package client

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A name may be kept otherwise than it was asked for. The created object is the job's
// target, or the one that is new in the list.
func TestKeptName(t *testing.T) {
	for name, row := range map[string]struct {
		target string   // of the job
		lists  []string // the apps after the creation, besides "old"
		later  []string // those that a read shows 5 s later, too
		kept   string   // "" if the asked name is taken for granted
	}{
		"as asked":                        {"apps/Web App", []string{"Web App"}, nil, ""},
		"as asked, the job names none":    {"", []string{"Web App"}, nil, ""},
		"another":                         {"apps/web-app", []string{"web-app"}, nil, "web-app"},
		"another, the job names none":     {"", []string{"web-app"}, nil, "web-app"},
		"another, and the list lacks it":  {"apps/web-app", nil, nil, ""},
		"the job names none, two are new": {"", []string{"a", "b"}, nil, ""},
		"nothing at all":                  {"", nil, nil, ""},
		"another client's is shown first": {"", []string{"other"}, []string{"Web App"}, ""},
	} {
		inBubble(t, name, func(t *testing.T) {
			made, begun := false, time.Now()
			c, _ := newTestClient(t, func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method == http.MethodPost:
					made = true
					respond(w, 202, object{"job_id": "j-1"})
				case strings.HasSuffix(r.URL.Path, "/jobs/j-1"):
					respond(w, 200, object{"id": "j-1", "operation": OpAppImport, "target": row.target, "status": "done"})
				case strings.HasSuffix(r.URL.Path, "/apps"):
					apps := []object{{"name": "old"}}
					shown := row.lists
					if time.Since(begun) > 5*time.Second {
						shown = slices.Concat(row.lists, row.later)
					}
					for _, name := range shown {
						if made {
							apps = append(apps, object{"name": name})
						}
					}
					respond(w, 200, object{"apps": apps})
				default:
					respond(w, 200, object{"id": "i", "status": "running"})
				}
			})
			turn := enter(t, c)
			pending := must.Get(turn.ImportApp(within(t, time.Hour), NewApp{Name: "Web App"}))(t)
			err := turn.WaitNamed(within(t, time.Hour), pending, OpAppImport, "Web App")
			kept := (*KeptNameError)(nil)
			if errors.As(err, &kept); (err != nil) != (row.kept != "") || kept != nil && kept.Kept != row.kept {
				t.Errorf("WaitNamed: got error %v, want another name %q", err, row.kept)
			}
		})
	}
}
