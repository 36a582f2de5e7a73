package diagnostics_test

import (
	"errors"
	"strings"
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

// A refusal that some services use for a record that is gone keeps the state, and the error
// says how to remove it.
func TestAddReadErrorOfARefusedRecord(t *testing.T) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	c := providertest.Client(t, fake)
	for _, row := range []struct {
		status        int
		code, path    string
		removes, keys bool
	}{
		{400, "invalid_request", "/webhooks/wh-1", true, false},
		{403, "forbidden", "/webhooks/wh-1", true, true},
		{403, "payment_required", "/webhooks/wh-1", true, false},
		{410, "gone", "/webhooks/wh-1", true, false},
		{422, "validation_failed", "/webhooks/wh-1", true, false},
		{403, "forbidden", "/me", false, true},
		{403, "", "/webhooks/wh-1", false, false},
		{409, "job_running", "/webhooks/wh-1", false, false},
		{404, "no_such_route", "/webhooks/wh-1", false, false},
	} {
		var diags diag.Diagnostics
		diagnostics.NewServiceCheck(c).AddReadError(&diags, "Unable to read it", &transport.APIError{Method: "GET", Status: row.status, Code: row.code, Path: row.path})
		if len(diags) != 1 || diags[0].Severity() != diag.SeverityError {
			t.Errorf("%d %q %s: got %v, want one error", row.status, row.code, row.path, diags)
			continue
		}
		if got := strings.Contains(diags[0].Detail(), "terraform state rm ADDRESS"); got != row.removes {
			t.Errorf("%d %q %s: got advice to remove it: %v, want %v: %s", row.status, row.code, row.path, got, row.removes, diags[0].Detail())
		}
		if got := strings.Contains(diags[0].Detail(), "The API key may not be allowed"); got != row.keys {
			t.Errorf("%d %q %s: got advice about the key: %v, want %v: %s", row.status, row.code, row.path, got, row.keys, diags[0].Detail())
		}
	}
}
