package core

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// receiver is a Courier that answers deliveries with a function and records them.
type receiver struct {
	answer func(ctx context.Context, d Delivery) Outcome

	mu   sync.Mutex
	came []Delivery
}

func (r *receiver) Deliver(ctx context.Context, d Delivery) Outcome {
	r.mu.Lock()
	r.came = append(r.came, d)
	r.mu.Unlock()
	return r.answer(ctx, d)
}

// deliveries returns the deliveries received so far, in order.
func (r *receiver) deliveries() []Delivery {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.came)
}

func answering(status int) *receiver {
	return &receiver{answer: func(context.Context, Delivery) Outcome { return Outcome{Status: status} }}
}

// addEndpoint adds an enabled endpoint.
func addEndpoint(s *Service, id string) {
	s.AddWebhook(Webhook{ID: id, URL: "https://hooks.test/" + id, Secret: "secret of " + id, Enabled: true})
}

// attempts returns the times of a delivery's attempts, measured from its creation.
func attempts(d DeliveryRecord) (after []string) {
	for _, a := range d.Attempts {
		after = append(after, a.At.Sub(d.CreatedAt).String())
	}
	return after
}

// A failed delivery is repeated after each pause of the fake's clock, with the same id
// and body. Then it is given up.
func TestDeliveryIsTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		receiver := answering(500)
		s := New(Options{Courier: receiver})
		defer s.Close()
		addEndpoint(s, "wh-1")
		s.Emit("health_alert", "i-1", map[string]any{"healthy": false})
		s.Advance(24 * time.Hour)
		list, err := s.Deliveries("wh-1")
		if err != nil || len(list) != 1 {
			t.Fatalf("the deliveries: got %+v and error %v, want one delivery", list, err)
		}
		want := []string{"0s", "1m0s", "6m0s", "36m0s", "2h36m0s", "14h36m0s"}
		if difference := cmp.Diff(want, attempts(list[0])); difference != "" || list[0].State != DeliveryGivenUp || list[0].NextAttemptAt != nil {
			t.Errorf("the delivery: got state %s and next attempt %v, want %s and none; attempts (-want +got):\n%s", list[0].State, list[0].NextAttemptAt, DeliveryGivenUp, difference)
		}
		came := receiver.deliveries()
		for _, d := range came {
			if d.ID != list[0].ID || d.Type != "health_alert" || string(d.Body) != string(came[0].Body) || d.Secret != "secret of wh-1" || d.URL != "https://hooks.test/wh-1" {
				t.Errorf("a delivery that was sent: got %+v, want a health_alert to wh-1 with the id %s and the body of the first", d, list[0].ID)
			}
		}
		if w, _ := s.Webhook(t.Context(), "wh-1"); w.ConsecutiveFailures != 6 || !w.Enabled {
			t.Errorf("the endpoint: got %+v, want 6 consecutive failures and enabled", w)
		}
	})
}

// A receiver that recovers receives the deliveries that it missed, and its count of
// failures returns to zero.
func TestDeliveryToAReceiverThatRecovers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		left := 3
		receiver := &receiver{}
		receiver.answer = func(context.Context, Delivery) Outcome {
			if left--; left >= 0 {
				return Outcome{Problem: "connection refused"}
			}
			return Outcome{Status: 204, Answer: "thanks"}
		}
		s := New(Options{Courier: receiver})
		defer s.Close()
		addEndpoint(s, "wh-1")
		s.Emit("health_alert", "", nil)
		s.Advance(10 * time.Minute)
		if w, _ := s.Webhook(t.Context(), "wh-1"); w.ConsecutiveFailures != 3 {
			t.Errorf("the endpoint: got %+v, want 3 consecutive failures", w)
		}
		s.Advance(26 * time.Minute)
		list, _ := s.Deliveries("wh-1")
		if list[0].State != DeliveryDelivered || len(list[0].Attempts) != 4 || list[0].Attempts[3].Answer != "thanks" {
			t.Errorf("the delivery: got %+v, want %s by the fourth attempt, with the answer thanks", list[0], DeliveryDelivered)
		}
		if w, _ := s.Webhook(t.Context(), "wh-1"); w.ConsecutiveFailures != 0 {
			t.Errorf("the endpoint: got %+v, want no consecutive failures", w)
		}
	})
}

// Twenty failures in a row, of any deliveries, disable an endpoint and no other one.
// Nothing is sent there until it is enabled, and then its count starts from zero.
func TestEndpointIsDisabled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		receiver := &receiver{answer: func(_ context.Context, d Delivery) Outcome {
			if strings.HasSuffix(d.URL, "wh-bad") {
				return Outcome{Status: 302}
			}
			return Outcome{Status: 200}
		}}
		s := New(Options{Courier: receiver})
		defer s.Close()
		addEndpoint(s, "wh-bad")
		addEndpoint(s, "wh-good")
		for range 3 {
			s.Emit("health_alert", "", nil)
		}
		s.Advance(24 * time.Hour) // 18 failures
		s.Emit("health_alert", "", nil)
		s.Advance(0)
		if w, _ := s.Webhook(t.Context(), "wh-bad"); w.ConsecutiveFailures != 19 || !w.Enabled {
			t.Errorf("the endpoint after 19 failures: got %+v, want 19 consecutive failures and enabled", w)
		}
		s.Advance(24 * time.Hour)
		if w, _ := s.Webhook(t.Context(), "wh-bad"); w.ConsecutiveFailures != 20 || w.Enabled {
			t.Errorf("the endpoint after 20 failures: got %+v, want 20 consecutive failures and disabled", w)
		}
		list, _ := s.Deliveries("wh-bad")
		if list[0].State != DeliveryGivenUp || len(list[0].Attempts) != 2 {
			t.Errorf("the last delivery: got %+v, want %s after 2 attempts", list[0], DeliveryGivenUp)
		}
		s.Emit("health_reset", "", nil)
		s.Advance(24 * time.Hour)
		if list, _ := s.Deliveries("wh-bad"); len(list) != 4 {
			t.Errorf("deliveries of the disabled endpoint: got %d, want 4", len(list))
		}
		if list, _ := s.Deliveries("wh-good"); len(list) != 5 || list[0].Type != "health_reset" || list[0].State != DeliveryDelivered {
			t.Errorf("the deliveries of the other endpoint: got %+v, want 5, the newest a health_reset that is %s", list, DeliveryDelivered)
		}
		if _, err := s.SendTestEvent("wh-bad"); ProblemOf(err).Code != ValidationError {
			t.Errorf("a test event for the disabled endpoint: got error %v, want %s", err, ValidationError)
		}

		if w, err := s.UpdateWebhook("wh-bad", WebhookChange{Enabled: ptr(true)}); err != nil || w.ConsecutiveFailures != 0 {
			t.Errorf("the enabled endpoint: got %+v and error %v, want no consecutive failures", w, err)
		}
		test, err := s.SendTestEvent("wh-bad")
		if err != nil || test.Type != "test" {
			t.Fatalf("the test event: got %+v and error %v, want a delivery of type test", test, err)
		}
		s.Advance(0)
		if w, _ := s.Webhook(t.Context(), "wh-bad"); w.ConsecutiveFailures != 1 || !w.Enabled {
			t.Errorf("the endpoint after one more failure: got %+v, want 1 consecutive failure and enabled", w)
		}
		if list, _ := s.Deliveries("wh-good"); len(list) != 5 {
			t.Errorf("deliveries of the other endpoint after the test event: got %d, want 5", len(list))
		}
	})
}

// A receiver that hangs delays neither jobs nor other receivers, and the number of
// concurrent attempts at it is limited.
func TestReceiverThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		receiver := &receiver{answer: func(ctx context.Context, d Delivery) Outcome {
			if strings.HasSuffix(d.URL, "wh-slow") {
				<-ctx.Done()
			}
			return Outcome{Status: 200}
		}}
		s := New(Options{Courier: receiver})
		addEndpoint(s, "wh-slow")
		addEndpoint(s, "wh-fast")
		id := s.AddInstance(Instance{Name: "shop"}).ID
		for range 10 {
			s.Emit("health_alert", id, nil)
		}
		accepted := must.Get(s.Rotate(id))(t)
		time.Sleep(time.Minute) // fake time of the synctest bubble
		if job, _ := s.Job(t.Context(), accepted.JobID); job.Status != StatusDone {
			t.Errorf("the job: got %+v, want status %s", job, StatusDone)
		}
		count := map[string]int{}
		for _, d := range receiver.deliveries() {
			count[d.URL]++
		}
		if want := map[string]int{"https://hooks.test/wh-slow": deliveriesAtOnce, "https://hooks.test/wh-fast": 11}; !cmp.Equal(count, want) {
			t.Errorf("deliveries by URL: got %v, want %v", count, want)
		}
		must.Report(t, s.Close())
	})
}

// journal is a memory that records its contents after each write.
type journal struct {
	*memory
	moments []map[string][]byte
}

func (j *journal) Write(changes map[string][]byte) error {
	err := j.memory.Write(changes)
	j.moments = append(j.moments, maps.Clone(j.entries))
	return err
}

// If a program is killed between any two writes, each event whose cause is stored is
// still delivered, and under the same id as before.
func TestKilledAtEveryWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		failures := 0
		flaky := &receiver{answer: func(context.Context, Delivery) Outcome {
			if failures++; failures%3 != 0 {
				return Outcome{Status: 500}
			}
			return Outcome{Status: 200}
		}}
		j := &journal{memory: newMemory()}
		s := open(t, Options{Storage: j, Courier: flaky})
		addEndpoint(s, "wh-1")
		id := s.AddInstance(Instance{Name: "shop"}).ID
		for range 4 {
			must.Get(s.Rotate(id))(t)
			s.Advance(3 * time.Minute)
		}
		s.Advance(24 * time.Hour)
		must.Do(t, s.Close())
		before := map[string]string{} // ids of deliveries by body
		for _, d := range flaky.deliveries() {
			before[string(d.Body)] = d.ID
		}
		if len(before) != 5 || len(j.moments) < 20 { // four rotations and the daily verification
			t.Fatalf("got %d events and %d writes, want 5 events and at least 20 writes", len(before), len(j.moments))
		}
		checked := 0
		for at, entries := range j.moments {
			working := answering(200)
			again := reopen(t, &memory{entries: entries}, Options{Courier: working})
			again.Advance(24 * time.Hour)
			list, err := again.Deliveries("wh-1")
			if err != nil {
				continue // the endpoint was not stored yet
			}
			checked++
			if events := again.Events(); len(list) != len(events) {
				t.Errorf("deliveries after write %d: got %d, want one for each of the %d events", at, len(list), len(events))
			}
			for _, d := range list {
				if known, ok := before[string(d.Event)]; d.State != DeliveryDelivered || ok && known != d.ID {
					t.Errorf("a delivery after write %d: got %+v, want %s and the id %q if not empty", at, d, DeliveryDelivered, known)
				}
			}
			must.Report(t, again.Close())
		}
		if checked < 20 {
			t.Errorf("writes with the endpoint: got %d, want at least 20", checked)
		}
	})
}

// Ended deliveries are kept up to a limit and are deleted with their endpoint.
func TestDeliveriesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := open(t, Options{Storage: m, Courier: answering(200)})
		addEndpoint(s, "wh-1")
		addEndpoint(s, "wh-2")
		for n := range 2 * deliveriesKept {
			s.Emit("health_alert", "", map[string]any{"n": n})
		}
		s.Advance(0)
		list, _ := s.Deliveries("wh-1")
		if len(list) != deliveriesKept || !strings.Contains(string(list[0].Event), fmt.Sprintf(`"n":%d`, 2*deliveriesKept-1)) {
			t.Errorf("the stored deliveries: got %d and %+v as the newest, want %d and the event with n = %d", len(list), list[0], deliveriesKept, 2*deliveriesKept-1)
		}
		must.Do(t, s.DeleteWebhook("wh-1"))
		if _, err := s.Deliveries("wh-1"); ProblemOf(err).Code != NotFound {
			t.Errorf("the deliveries of a deleted endpoint: got error %v, want %s", err, NotFound)
		}
		kept := 0
		for key := range m.entries {
			if strings.HasPrefix(key, "Deliveries/") {
				kept++
			}
		}
		if kept != deliveriesKept {
			t.Errorf("stored deliveries: got %d, want %d", kept, deliveriesKept)
		}
	})
}

// A delivery that cannot be stored is not sent, and does not count as a failure of the
// receiver.
func TestDeliveryThatCannotBeWrittenDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m, receiver := newMemory(), answering(200)
		s := open(t, Options{Storage: m, Courier: receiver})
		addEndpoint(s, "wh-1")
		s.store.do(func(*state) { m.broken = context.DeadlineExceeded })
		s.Emit("health_alert", "", nil)
		s.Advance(0)
		if n := len(receiver.deliveries()); n != 0 {
			t.Errorf("sent deliveries: got %d, want none", n)
		}
		s.store.do(func(*state) { m.broken = nil })
		s.Advance(time.Minute)
		if list, _ := s.Deliveries("wh-1"); len(list) != 1 || list[0].State != DeliveryDelivered || len(list[0].Attempts) != 1 {
			t.Errorf("the deliveries: got %+v, want one that is %s by the first attempt", list, DeliveryDelivered)
		}
	})
}

// The body has the fields of SERVICE.md#webhooks.
func TestBodyOfADelivery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		receiver := answering(200)
		s := New(Options{Courier: receiver, Start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
		defer s.Close()
		addEndpoint(s, "wh-1")
		s.Emit("health_alert", "i-1", map[string]any{"healthy": false})
		s.Emit("api_key_created", "", nil)
		s.Advance(0)
		bodies := map[string]string{}
		for _, d := range receiver.deliveries() {
			bodies[d.Type] = string(d.Body)
		}
		for _, e := range s.Events() {
			want := map[string]string{
				"health_alert":    `{"id":"` + e.ID + `","type":"health_alert","instance_id":"i-1","at":"2026-03-01T12:00:00Z","data":{"healthy":false}}`,
				"api_key_created": `{"id":"` + e.ID + `","type":"api_key_created","instance_id":null,"at":"2026-03-01T12:00:00Z","data":{}}`,
			}[e.Type]
			if bodies[e.Type] != want {
				t.Errorf("the body of %s: got\n%s\nwant\n%s", e.Type, bodies[e.Type], want)
			}
		}
	})
}
