package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// The creation of an app has failed, so its protection was removed. Its private state is
// lost. A refresh protects it again if its builds show that it has run since.
func TestProtectionOfAFailedApp(t *testing.T) {
	const apps, app = "/instances/i-shop/apps", "/instances/i-shop/apps/web"
	record := object{"name": "web", "repo": "acme/web", "branch": "main", "port": 3000, "status": "failed"}
	for name, row := range map[string]struct {
		builds []string // their statuses, newest first
		want   any      // deletion_protection
	}{
		"no build was deployed":              {[]string{"failed"}, nil},
		"the only one deployed does not run": {[]string{"failed", "successful"}, nil},
		"another one was deployed":           {[]string{"successful", "failed", "successful"}, true},
		"the first one is on a later page":   {slices.Concat([]string{"successful"}, slices.Repeat([]string{"failed"}, 40), []string{"successful"}), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
				defer func() { _ = fake.Close() }()
				furnishMore(t, fake)
				server := serverOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					switch {
					case strings.HasSuffix(r.URL.Path, apps):
						_ = json.NewEncoder(w).Encode(object{"apps": []any{record}})
					case strings.HasSuffix(r.URL.Path, app):
						_ = json.NewEncoder(w).Encode(record)
					case strings.HasSuffix(r.URL.Path, app+"/builds"):
						_ = json.NewEncoder(w).Encode(pageOfBuilds(row.builds, r))
					default:
						fake.ServeHTTP(w, r)
					}
				}), "key")
				now := imported(t, server, "hosting_app", "i-shop/web", &strings.Builder{})
				now.state["deletion_protection"] = nil
				of := schemaOf(t, now.kind).ValueType()
				read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: now.kind, CurrentState: dynamicOf(of, now.state), CurrentIdentity: now.identity})
				if err != nil || len(read.Diagnostics) > 0 {
					t.Fatalf("the read of the app: got error %v and diagnostics %v, want neither", err, read.Diagnostics)
				}
				if got := decoded(t, of, read.NewState).(object)["deletion_protection"]; got != row.want {
					t.Errorf("got the protection %v, want %v", got, row.want)
				}
			})
		})
	}
}

// pageOfBuilds returns the page that a request asks for. A cursor is the number of the
// page's first build.
func pageOfBuilds(statuses []string, r *http.Request) object {
	from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
	if err != nil {
		limit = 50
	}
	to := min(len(statuses), from+limit)
	builds := []any{}
	for n, status := range statuses[from:to] {
		builds = append(builds, object{"id": fmt.Sprint("bld-", len(statuses)-from-n), "status": status})
	}
	page := object{"builds": builds}
	if to < len(statuses) {
		page["next_cursor"] = strconv.Itoa(to)
	}
	return page
}
