package signed_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/signed"
)

// TestVerify reads the delivery from the tests of package webhook. Its signature was
// computed by openssl.
func TestVerify(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../webhook/testdata/delivery.json")
	if err != nil {
		t.Fatal(err)
	}
	const secret = "whsec-of-the-fixture"
	const signature = "sha256=bf36ae2f2f54cee3864e4b10fb2f996843ecd3402ff39e32a64a8369730e93be"
	body := string(content)
	for name, c := range map[string]struct {
		body, kind, id, signature, secret string
		refused                           bool
	}{
		"as sent":           {body, "label", "dlv-1", signature, secret, false},
		"another body":      {strings.Replace(body, "prod", "test", 1), "label", "dlv-1", signature, secret, true},
		"another secret":    {body, "label", "dlv-1", signature, "another", true},
		"another signature": {body, "label", "dlv-1", "sha256=" + strings.Repeat("0", 64), secret, true},
		"no signature":      {body, "label", "dlv-1", "", secret, true},
		"another type":      {body, "ready", "dlv-1", signature, secret, true},
		"no delivery id":    {body, "label", "", signature, secret, true},
	} {
		header := http.Header{"X-Service-Event": {c.kind}, "X-Service-Delivery": {c.id}, "X-Service-Signature": {c.signature}}
		d, err := signed.Verify([]byte(c.body), header, c.secret)
		if refused := err != nil; refused != c.refused {
			t.Errorf("%s: got error %v, want refused %t", name, err, c.refused)
		}
		if err == nil && (d.ID != "dlv-1" || d.Event.Type != "label" || d.Event.InstanceID != "i-shop") {
			t.Errorf("%s: got delivery %+v, want dlv-1, a label of i-shop", name, d)
		}
	}
}
