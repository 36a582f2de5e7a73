package base

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

func TestMayAppear(t *testing.T) {
	const missing = ""
	for name, test := range map[string]struct {
		id string
		// before and after are the statuses of the job before the resource is read and
		// after its absence is confirmed.
		before, after string
		want          bool
	}{
		"no job":                    {"", missing, missing, false},
		"a job in progress":         {"job-1", "running", "running", true},
		"a job that ends meanwhile": {"job-1", "running", "done", true},
		"a job that was over":       {"job-1", "done", "done", false},
		"a failed job":              {"job-1", "failed", "failed", false},
		"a job that is gone":        {"job-1", missing, missing, false},
		"a job not shown yet":       {"job-1", missing, "queued", true},
		"a job shown once over":     {"job-1", missing, "done", true},
		"a job shown once failed":   {"job-1", missing, "failed", true},
		"an unreadable job":         {"job-1", "unreadable", "unreadable", true},
		"a job unreadable later":    {"job-1", missing, "unreadable", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				status := test.before
				served := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					switch status {
					case missing:
						w.Header().Set("Content-Type", "application/json")
						w.WriteHeader(http.StatusNotFound)
						_, _ = io.WriteString(w, `{"code":"not_found","detail":"no such job"}`)
					case "unreadable":
						w.WriteHeader(http.StatusForbidden)
						_, _ = io.WriteString(w, `{"code":"forbidden","detail":"not now"}`)
					default:
						_, _ = io.WriteString(w, `{"id":"job-1","operation":"create","status":"`+status+`"}`)
					}
				})
				c, err := client.New(client.Options{BaseURL: "https://hosting.test/api/v1", APIKey: "key", Transport: gateway.Transport{Handler: served}})
				if err != nil {
					t.Fatal(err)
				}
				b := Resource{Data: Data{Client: c}}
				mayAppear := b.MayAppear(t.Context(), test.id)
				status = test.after
				if got := mayAppear(); got != test.want {
					t.Errorf("got %v, want %v", got, test.want)
				}
			})
		})
	}
}
