package reports

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"
	"time"
)

// The service renews a certificate before it ends, and a key with it.
func TestRenewedCertificate(t *testing.T) {
	hcl := machine("") + "output \"ca\" { value = hosting_instance.a.ca_certificate }\n"
	shown := func(w *world, valid time.Duration, key string) trait {
		certificate := certificateFor(w, valid)
		return trait{method: "GET", path: connection, after: func(x *exchange) {
			x.object()["ca_certificate"] = certificate
			if engines, ok := x.object()["engines"].(map[string]any); ok {
				engines["auth"].(map[string]any)["anon_key"] = key
			}
		}}
	}
	const day = 24 * time.Hour
	report(t, "aiven/terraform-provider-aiven#2177", "a renewed certificate", situations{
		"refreshed": func(w *world) {
			remove := w.behaves(shown(w, 20*day, "first-key"))
			w.apply(hcl)
			w.settled(hcl)
			remove()
			w.behaves(shown(w, 800*day, "renewed-key"))
			w.apply(hcl)
			w.holds("renewed-key", machineAddress, "auth_anon_key")
			w.settled(hcl)
		},
		"valid for long": func(w *world) {
			w.behaves(shown(w, 800*day, "first-key"))
			w.apply(hcl)
			before := len(w.asked("GET", connection))
			w.settled(hcl)
			w.counts(before, "GET", connection)
		},
	})
}

// certificateFor returns a certificate in PEM that is valid for a time.
func certificateFor(w *world, valid time.Duration) string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		w.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(valid), IsCA: true}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
}
