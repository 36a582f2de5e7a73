package fakeservice_test

import (
	"crypto/x509"
	"encoding/pem"
	"net/url"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

var allEngines = []string{"postgres", "redis", "couchdb", "nats", "apps", "auth"}

func TestConnection(t *testing.T) {
	t.Parallel()
	a := start(t)
	id := a.running(allEngines...)
	record := a.call("GET", "/instances/"+id+"/connection", nil).body
	engines := record["engines"].(object)
	equal(t, "engines with a connection", len(engines), 5)

	postgres := engines["postgres"].(object)
	for _, field := range []string{"owner_url", "readonly_url"} {
		u := must.Get(url.Parse(postgres[field].(string)))(t)
		password, _ := u.User.Password()
		if u.Scheme != "postgresql" || u.Hostname() != record["host"] || u.Port() != "5432" ||
			u.Query().Get("sslmode") != "verify-full" || strings.TrimPrefix(u.Path, "/") != postgres["database"] || len(password) < 32 {
			t.Errorf("%s: got %s, want a URL of the host at port 5432 with verify-full, the database and a password of at least 32 characters", field, u.Redacted())
		}
	}
	if auth := engines["auth"].(object)["url"].(string); !strings.HasSuffix(auth, "/auth/v1") {
		t.Errorf("the URL of auth: got %s, want one that ends with /auth/v1", auth)
	}

	block, _ := pem.Decode([]byte(record["ca_certificate"].(string)))
	if block == nil {
		t.Fatalf("the CA certificate: got %v, want PEM", record["ca_certificate"])
	}
	ca, err := x509.ParseCertificate(block.Bytes)
	if err != nil || !ca.IsCA {
		t.Fatalf("the certificate: got error %v, want a CA certificate", err)
	}
	if err := ca.CheckSignatureFrom(ca); err != nil {
		t.Errorf("the CA did not sign itself: %s", err)
	}
	other := a.call("GET", "/instances/"+a.running("postgres")+"/connection", nil).body
	if other["ca_certificate"] == record["ca_certificate"] {
		t.Error("the CAs of two instances: got the same, want two")
	}
	if len(other["engines"].(object)) != 1 {
		t.Errorf("the engines of an instance with postgres alone: got %v, want one", other["engines"])
	}
}

func TestRotateChangesPasswordsAndServiceKey(t *testing.T) {
	t.Parallel()
	a := start(t)
	path := "/instances/" + a.running(allEngines...)
	before := a.call("GET", path+"/connection", nil).body
	a.done("POST", path+"/actions/rotate", nil)
	after := a.call("GET", path+"/connection", nil).body

	changes := map[string]bool{
		"postgres.owner_url": true, "postgres.readonly_url": true, "redis.url": true, "couchdb.url": true, "nats.url": true,
		"auth.service_key": true, "auth.anon_key": false, "auth.url": false, "postgres.database": false,
	}
	for field, want := range changes {
		engine, name, _ := strings.Cut(field, ".")
		old := before["engines"].(object)[engine].(object)[name]
		now := after["engines"].(object)[engine].(object)[name]
		if changed := old != now; changed != want {
			t.Errorf("a change of %s: got %t, want %t", field, changed, want)
		}
	}
	equal(t, "host", after["host"], before["host"])
	equal(t, "CA", after["ca_certificate"], before["ca_certificate"])
}
