package acceptance

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// In a storm the guestbook is applied, has an empty plan and is destroyed. Nothing is
// created or paid for twice. Requests are sent concurrently, so each run meets the
// weather of its seed in a different order. The service does not know the
// Idempotency-Key: if it answers a repeated request with success, it has created a second
// object.
func TestStorm(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{12, 101, 115} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { applyInAStorm(t, seed) })
	}
}

func applyInAStorm(t *testing.T, seed uint64) {
	// Reads lag by seconds of the real clock, so the creation must take a few seconds
	// too.
	fake := keyless(t, fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed = 30 }))
	w := newGuestbook(t, fake)
	fake.SetWeather(weather.Storm, seed)
	w.apply()
	// A plan in the storm may read old values, and would rightly change them. The destroy
	// therefore takes its plan from the state.
	fake.SetWeather(weather.Calm, 0)
	w.mustBeSettled()
	fake.SetWeather(weather.Storm, seed)
	for path, what := range map[string]string{
		"/instances": "instance", "/instances/*/apps/import": "app", "/webhooks": "webhook endpoint",
	} {
		if n := madeAt(fake, path); n != 1 {
			t.Errorf("creations of a %s: got %d, want 1", what, n)
		}
	}
	onlyInstance(t, fake)

	if r := w.run("destroy", "-refresh=false", "-auto-approve", "-no-color"); r.exit != 0 {
		t.Fatalf("destroy: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	if left := fake.Left(); len(fake.Instances()) != 0 || len(fake.Webhooks()) != 0 {
		t.Errorf("the account after the destroy: got %v, want nothing left", left)
	}
	faulted := 0
	for _, r := range fake.Requests() {
		if r.Fault {
			faulted++
		}
	}
	if faulted == 0 {
		t.Error("requests with a fault: got none, want at least one")
	}
	t.Logf("%d of %d requests had a fault", faulted, len(fake.Requests()))
}

// madeAt counts the POSTs to a path that a service without the Idempotency-Key has
// carried out. A service with it would answer a repetition like the first request.
func madeAt(fake *fakeservicetest.Server, path string) int {
	made := 0
	for _, r := range fake.Requests() {
		if r.Method == http.MethodPost && gateway.MatchPath(path, strings.TrimSuffix(r.Path, "/")) && r.Served/100 == 2 {
			made++
		}
	}
	return made
}
