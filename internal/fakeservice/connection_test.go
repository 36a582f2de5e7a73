package fakeservice_test

import (
	"strings"
	"testing"
)

var allEngines = []string{"postgres", "redis", "couchdb", "nats", "apps", "auth"}

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
