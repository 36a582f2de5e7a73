package dataplane_test

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// Each operation of the API document works with real engines.
func TestEveryOperationForReal(t *testing.T) {
	t.Parallel()
	repository := builtApp(t)
	f := start(t, func(o *dataplane.Options) { o.Repositories = map[string]string{"octo/app": repository} })
	fakeservicetest.Tour(t, f.Server, "octo/app", func(string, string) {})
}
