package fakeservicetest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// recorder is a test that only records its errors.
type recorder struct {
	testing.TB
	cleanup []func()
	errors  int
}

func (r *recorder) Helper()               {}
func (r *recorder) Cleanup(f func())      { r.cleanup = append(r.cleanup, f) }
func (r *recorder) Errorf(string, ...any) { r.errors++ }

// A violation by either side fails the test that caused it. The answer of a fault is not a
// violation.
func TestViolationsFailTheTest(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		spoil  func(*fakeservicetest.Server, string)
		body   string
		errors int
	}{
		{"good exchange", func(*fakeservicetest.Server, string) {}, `{"name":"n"}`, 0},
		{"request", func(*fakeservicetest.Server, string) {}, `{"nom":"n"}`, 1},
		{"answer", func(s *fakeservicetest.Server, id string) {
			s.EditInstance(id, func(in *fakeservice.Instance) { in.Status = "exploded" })
		}, "", 1},
		{"answer altered by a fault", func(s *fakeservicetest.Server, _ string) {
			s.Inject(fakeservice.Fault{Rewrite: func(body map[string]any) { delete(body, "id") }})
		}, "", 0},
		{"undocumented status by a fault", func(s *fakeservicetest.Server, _ string) {
			s.Inject(fakeservice.Fault{Status: 418})
		}, "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			log := &recorder{}
			server := fakeservicetest.Start(log)
			if !strings.HasSuffix(server.BaseURL, "/api/v1") || !strings.HasPrefix(server.BaseURL, server.RootURL) {
				t.Errorf("the addresses: got %s, want %s/… that ends with /api/v1", server.BaseURL, server.RootURL)
			}
			id := server.AddInstance(fakeservice.Instance{}).ID
			row.spoil(server, id)
			method := http.MethodGet
			if row.body != "" {
				method = http.MethodPatch
			}
			request := must.Get(http.NewRequest(method, server.BaseURL+"/instances/"+id, strings.NewReader(row.body)))(t)
			request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
			request.Header.Set("Content-Type", "application/json")
			response, err := http.DefaultClient.Do(request)
			must.Do(t, err)
			response.Body.Close()
			for _, f := range log.cleanup {
				f()
			}
			if log.errors != row.errors {
				t.Errorf("violations reported to the test: got %d, want %d", log.errors, row.errors)
			}
		})
	}
}
