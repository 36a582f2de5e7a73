package acceptance

import (
	"bytes"
	"maps"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// These tests check that an app keeps the variables that the configuration has never set.

const importApp = "import {\n to = hosting_app.test\n id = \"i-one/guestbook\"\n}\n"

// appWithVariables returns a fake with an app that has variables.
func appWithVariables(t *testing.T) *fakeservicetest.Server {
	t.Helper()
	fake := seededApps(t)
	fake.AddApp("i-one", fakeservice.App{Name: "guestbook", Repo: "octo/guestbook", Branch: "main", Port: 3000, HealthPath: "/healthz",
		MemoryMB: 512, Env: map[string]string{"A": "1", "TOKEN": "canary-of-a-secret"}})
	return fake
}

// mustHaveEnv checks the app's variables, and how many PATCHes contained variables.
func mustHaveEnv(t *testing.T, fake *fakeservicetest.Server, sent int, want map[string]string) {
	t.Helper()
	must(t, maps.Equal(theSeededApp(t, fake).Env, want), "the app's variables: got %v, want %v", theSeededApp(t, fake).Env, want)
	got := 0
	for _, request := range fake.Requests() {
		if request.Method == "PATCH" && bytes.Contains(request.Body, []byte(`"env"`)) {
			got++
		}
	}
	must(t, got == sent, "PATCHes with env: got %d, want %d", got, sent)
}

var given = map[string]string{"A": "1", "TOKEN": "canary-of-a-secret"}
