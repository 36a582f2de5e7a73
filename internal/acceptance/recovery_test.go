package acceptance

import (
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// oneApp returns the app on the seeded instance, with additional arguments.
func oneApp(arguments string) string {
	return "resource \"hosting_app\" \"test\" {\n instance_id = \"i-one\"\n" + appArguments + arguments + "\n}\n"
}

// behind sends a request as another client.
func behind(t *testing.T, fake *fakeservicetest.Server, method, path, body string) {
	t.Helper()
	request, err := http.NewRequest(method, fake.BaseURL+path, strings.NewReader(body))
	must(t, err == nil, "%v", err)
	request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(request)
	must(t, err == nil, "%v", err)
	answer.Body.Close()
	must(t, answer.StatusCode == http.StatusAccepted, "%s %s: got %d, want 202", method, path, answer.StatusCode)
}
