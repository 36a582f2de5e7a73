package hostingtest_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
	"github.com/instance-hosting/terraform-provider-hosting/webhook"
)

// A receiver that fails gets the same delivery again until it is given up.
func TestReceiverThatFails(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t, hostingtest.WithSpeed(1), hostingtest.WithReceiver(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not here: "+r.URL.String(), http.StatusNotFound)
	})))
	status, made := send(t, s, http.MethodPost, "/webhooks", `{"url":"https://hooks.example.com/shop"}`)
	if status != http.StatusCreated {
		t.Fatalf("the endpoint was answered %d", status)
	}
	s.Emit("health_alert", "", nil)
	s.Advance(15 * time.Hour)
	list, err := s.Deliveries(made["id"].(string))
	if err != nil || len(list) != 1 || list[0].State != "given_up" || len(list[0].Attempts) != 6 {
		t.Fatalf("the deliveries are %+v (%v)", list, err)
	}
	if a := list[0].Attempts[5]; a.Status != 404 || !strings.Contains(a.Answer, "not here: https://hooks.example.com/shop") {
		t.Errorf("the last attempt is %+v", a)
	}
	if _, err := s.Deliveries("none"); err == nil {
		t.Error("an endpoint that there is not has deliveries")
	}
}

// What a module makes happen reaches a receiver that a test brings.
func ExampleWithReceiver() {
	receiver := &webhook.Receiver{Secrets: []string{"secret"}, Handle: func(_ context.Context, d webhook.Delivery) error {
		fmt.Println(d.Event.Type, string(d.Event.Data))
		return nil
	}}
	setup, err := hostingtest.ReadSetup(strings.NewReader(`{"webhooks": [{"url": "https://hooks.example.com", "secret": "secret"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	service := hostingtest.New(hostingtest.WithSetup(setup), hostingtest.WithReceiver(receiver))
	defer service.Close()
	service.Emit("health_alert", "", map[string]any{"healthy": false})
	service.Advance(0) // what is due has been delivered
	// Output: health_alert {"healthy":false}
}
