package rest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// If the fake had no route for an operation of the document, any request for it would be
// answered with 501 in the service's envelope. An operation that is not in the document
// is answered with 404.
func TestMissingOperationsSaySo(t *testing.T) {
	t.Parallel()
	operations := must.Get(apispec.Operations())(t)
	service := core.New(core.Options{})
	service.FirstKey("key")
	t.Cleanup(func() { service.Close() })
	for _, o := range operations {
		if !slices.ContainsFunc(routes(), func(r route) bool { return r.method == o.Method && r.pattern == o.Path }) {
			t.Errorf("%s has no route: add a row to internal/fakeservice/operations/table.go", o)
		}
		a := New(Options{Service: service, Violation: func(error) {}})
		a.routes = slices.DeleteFunc(slices.Clone(routes()), func(r route) bool { return r.method == o.Method && r.pattern == o.Path })
		for _, body := range []string{"", `{"colour":"blue"}`} {
			if got := ask(a, o.Method, o.Path, body); got.Code != http.StatusNotImplemented || !strings.Contains(got.Body.String(), `"code":"not_implemented"`) || !strings.Contains(got.Body.String(), `"detail":`) {
				t.Errorf("%s without a route: got %d %s, want 501 not_implemented with a detail", o, got.Code, got.Body)
			}
		}
	}
	a := New(Options{Service: service, Violation: func(error) {}})
	if got := ask(a, http.MethodGet, "/volumes", ""); got.Code != http.StatusNotFound {
		t.Errorf("a path outside the document: got %d %s, want 404", got.Code, got.Body)
	}
}

func ask(a *API, method, path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, Prefix+strings.NewReplacer("{", "", "}", "").Replace(path), strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer key")
	answer := httptest.NewRecorder()
	a.ServeHTTP(answer, request)
	return answer
}
