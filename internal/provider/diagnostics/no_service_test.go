package diagnostics_test

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// Only an answer of something else than the service makes a check an error. A gateway that
// limits requests, or that cannot reach the service, is in front of the right one.
func TestWarnUnchecked(t *testing.T) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	c := providertest.Client(t, fake)
	if _, err := c.Plans(t.Context()); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		err  error
		want diag.Severity
	}{
		"a page of another server":              {&transport.APIError{Status: 404, Detail: "<html>"}, diag.SeverityError},
		"a gateway without the service":         {&transport.APIError{Status: 503, Detail: "<html>"}, diag.SeverityWarning},
		"a gateway that limits requests":        {&transport.APIError{Status: 429, Detail: "<html>"}, diag.SeverityWarning},
		"the service's own limit":               {&transport.APIError{Status: 429, Code: "rate_limited"}, diag.SeverityWarning},
		"a connection that ended in the middle": {errors.New("unexpected EOF"), diag.SeverityWarning},
	} {
		var diags diag.Diagnostics
		diagnostics.NewServiceCheck(c).WarnUnchecked(&diags, "plan", row.err)
		if len(diags) != 1 || diags[0].Severity() != row.want {
			t.Errorf("%s: got %v, want one diagnostic of severity %s", name, diags, row.want)
		}
	}
}
