package fakeservice_test

import (
	"net/http/httptest"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// newHook is the body of a request for a webhook endpoint, a POST without a job.
var newHook = object{"url": "https://hooks.example.com"}

func TestFaultPaths(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		glob, path string
		want       bool
	}{
		{"", "/instances", true},
		{"/instances", "/instances", true},
		{"/instances", "/instances/i-1", false},
		{"/instances/*", "/instances/i-1", true},
		{"/instances/*", "/instances/i-1/apps", false},
		{"/instances/*/apps/import", "/instances/i-1/apps/import", true},
		{"/instances/**", "/instances/i-1/apps/import", true},
		{"/instances/**", "/instances", false},
		{"/**", "/me", true},
		{"/jobs/job-*", "/jobs/job-1", true},
		{"/jobs/[", "/jobs/[", false},
	} {
		service := fakeservice.New(fakeservice.Options{APIKey: fakeservicetest.APIKey})
		service.Inject(fakeservice.Fault{Path: row.glob, Status: 418})
		recorder := httptest.NewRecorder()
		service.ServeHTTP(recorder, httptest.NewRequest("GET", "http://localhost/api/v1"+row.path, nil))
		equal(t, row.glob+" and "+row.path, recorder.Code == 418, row.want)
		equal(t, "count of "+row.glob+" and "+row.path, service.Count("GET", row.glob) == 1, row.want)
		must.Report(t, service.Close())
	}
}
