package dataplane_test

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
)

// Each operation of the API document works with real engines.
func TestEveryOperationForReal(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	repository := builtApp(t)
	f := start(t, func(o *dataplane.Options) { o.Repositories = map[string]string{"octo/app": repository} })
	fakeservicetest.Tour(t, f.Server, "octo/app", func(string, string) {})
}
