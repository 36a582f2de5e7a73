package fakeservice_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A control route emits events of every type, and they are delivered. Another route shows
// the deliveries.
func TestEveryTypeIsDelivered(t *testing.T) {
	t.Parallel()
	b := fakeservicetest.NewInbox(t, "s")
	a := start(t, fakeservicetest.Delivering(b))
	made := a.AddWebhook(fakeservice.Webhook{URL: "https://hooks.test/", Secret: "s", Enabled: true})
	want := slices.Clone(core.EventTypes)
	for _, kind := range want {
		a.told("POST", "/events", fmt.Sprintf(`{"type":%q,"instance_id":"i-1","data":{"n":1}}`, kind))
	}
	a.told("POST", "/webhooks/"+made.ID+"/test", "")
	a.Advance(0)
	var got []string
	for _, d := range b.Deliveries() {
		got = append(got, d.Event.Type)
	}
	want = append(want, "test")
	slices.Sort(want)
	slices.Sort(got)
	equal(t, "events", got, want)

	list := a.told("GET", "/webhooks/"+made.ID+"/deliveries", "")["deliveries"].([]any)
	equal(t, "deliveries", len(list), len(want))
	newest := list[0].(object)
	attempts := newest["attempts"].([]any)
	equal(t, "state", newest["state"], any("delivered"))
	equal(t, "attempts", len(attempts), 1)
	equal(t, "status", attempts[0].(object)["status"], any(204.0))
	equal(t, "type", newest["event"].(object)["type"], any("test"))
	if status, _ := a.control("GET", "/webhooks/wh-none/deliveries", ""); status != 400 {
		t.Errorf("deliveries of an unknown endpoint: got %d, want 400", status)
	}
}

// A fork delivers its events to its endpoints.
func TestForkDelivers(t *testing.T) {
	t.Parallel()
	b := fakeservicetest.NewInbox(t, "s")
	a := start(t, fakeservicetest.Delivering(b))
	a.AddWebhook(fakeservice.Webhook{URL: "https://hooks.test/", Secret: "s", Enabled: true})
	fork := must.Get(a.Fork(t.Context()))(t)
	defer fork.Close()
	fork.Emit("health_alert", "", nil)
	fork.Advance(0)
	if came := b.Deliveries(); len(came) != 1 || came[0].Event.Type != "health_alert" || len(a.Events()) != 0 {
		t.Errorf("got the deliveries %+v and %d events of the fake, want one health_alert and no events", came, len(a.Events()))
	}
}

// The guide to webhooks has every type of event.
func TestEventTypesAreDocumented(t *testing.T) {
	t.Parallel()
	const path = "templates/guides/webhooks.md.tmpl"
	text := must.Get(os.ReadFile("../../" + path))(t)
	for _, kind := range core.EventTypes {
		if !strings.Contains(string(text), "`"+kind+"`") {
			t.Errorf("%s lacks the event type %s", path, kind)
		}
	}
}
