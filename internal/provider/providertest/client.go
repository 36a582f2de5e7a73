package providertest

import (
	"net/http"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
)

// Client returns a client whose requests a handler answers. Its key is "key".
func Client(t *testing.T, service http.Handler) *client.Client {
	t.Helper()
	c, err := client.New(client.Options{BaseURL: "https://hosting.test/api/v1", APIKey: "key", Transport: gateway.Transport{Handler: service}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
