// Package shop is an example of an external test that uses hostingtest.
package shop

import (
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
)

// A client of the API lists the service's plans.
func TestClient(t *testing.T) {
	service := hostingtest.Start(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, service.BaseURL+"/plans", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+service.APIKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusOK || service.Count(http.MethodGet, "/plans") != 1 {
		t.Errorf("GET /plans answered %d", response.StatusCode)
	}
}

// The module's own tests run on the service, with the Terraform that CLI names, and leave
// nothing behind.
func TestModule(t *testing.T) {
	service := hostingtest.Start(t)
	service.Setenv(t)
	said, err := exec.CommandContext(t.Context(), os.Getenv("CLI"), "test", "-no-color").CombinedOutput()
	if err != nil {
		t.Fatalf("terraform test: %v\n%s", err, said)
	}
	made, renamed := service.Count(http.MethodPost, "/instances"), service.Count(http.MethodPatch, "/instances/*")
	if left := len(service.Instances()); made != 1 || renamed != 1 || left != 0 {
		t.Errorf("the service made %d instances, renamed %d and has %d left\n%s", made, renamed, left, said)
	}
}
