package hostingtest_test

import (
	"net/http"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A test of bad requests does not fail because of them.
func TestWithViolations(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t, hostingtest.WithViolations())
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, s.BaseURL+"/instances", http.NoBody))(t)
	request.Header.Set("Authorization", "Bearer "+s.APIKey)
	response, err := http.DefaultClient.Do(request)
	must.Do(t, err)
	response.Body.Close()
	if response.StatusCode != http.StatusBadRequest || len(s.Violations()) == 0 {
		t.Errorf("a request without a body: got %d and violations %v, want 400 and one", response.StatusCode, s.Violations())
	}
}
