package provider_test

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

// In a storm the guestbook is applied, leaves nothing to do and is destroyed, and
// nothing is made or paid for twice. Requests go out at once, so that each run meets
// the weather of its seed in another order. The service does not know the
// Idempotency-Key: what it answers with success a second time, it has made a second
// time.
func TestStorm(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{12, 101, 115} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { applyInAStorm(t, seed) })
	}
}

func applyInAStorm(t *testing.T, seed uint64) {
	// Reads lag behind by seconds of the real clock, so the creation takes some too.
	fake := keyless(t, fakeservicetest.Start(t, func(o *fakeservice.Options) { o.Speed = 30 }))
	w := newGuestbook(t, fake)
	fake.SetWeather(weather.Storm, seed)
	w.apply()
	// A plan in the storm may read the past, and would rightly undo what it sees there.
	// So the destroy takes its plan from the state.
	fake.SetWeather(weather.Calm, 0)
	w.mustBeSettled()
	fake.SetWeather(weather.Storm, seed)
	for path, what := range map[string]string{
		"/instances": "instance", "/instances/*/apps/import": "app", "/webhooks": "webhook endpoint",
	} {
		if n := madeAt(fake, path); n != 1 {
			t.Errorf("%d times something of the kind %s was made", n, what)
		}
	}
	onlyInstance(t, fake)

	if r := w.run("destroy", "-refresh=false", "-auto-approve", "-no-color"); r.exit != 0 {
		t.Fatalf("destroy ended with exit %d:\n%s", r.exit, r.output)
	}
	if left := fake.Left(); len(fake.Instances()) != 0 || len(fake.Webhooks()) != 0 {
		t.Errorf("after the destroy there is %v", left)
	}
	struck := 0
	for _, r := range fake.Requests() {
		if r.Fault {
			struck++
		}
	}
	if struck == 0 {
		t.Error("there was no storm")
	}
	t.Logf("%d of %d requests were struck", struck, len(fake.Requests()))
}

// madeAt is how many POSTs to a path the service has carried out, where it does not
// know the Idempotency-Key: one that does answers a repetition as it did the first.
func madeAt(fake *fakeservicetest.Server, path string) int {
	made := 0
	for _, r := range fake.Requests() {
		if r.Method == http.MethodPost && gateway.MatchPath(path, strings.TrimSuffix(r.Path, "/")) && r.Served/100 == 2 {
			made++
		}
	}
	return made
}
