package hostingtest_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
)

// A receiver that fails gets the same delivery again until the service gives up.
func TestReceiverThatFails(t *testing.T) {
	t.Parallel()
	s := hostingtest.Start(t, hostingtest.WithSpeed(1), hostingtest.WithReceiver(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "not here: "+r.URL.String(), http.StatusNotFound)
	})))
	status, made := send(t, s, http.MethodPost, "/webhooks", `{"url":"https://hooks.example.com/shop"}`)
	if status != http.StatusCreated {
		t.Fatalf("the creation of the endpoint: got %d, want 201", status)
	}
	s.Emit("health_alert", "", nil)
	s.Advance(15 * time.Hour)
	list, err := s.Deliveries(made["id"].(string))
	if err != nil || len(list) != 1 || list[0].State != "given_up" || len(list[0].Attempts) != 6 {
		t.Fatalf("the deliveries: got %+v (%v), want one given up after 6 attempts", list, err)
	}
	if a := list[0].Attempts[5]; a.Status != 404 || !strings.Contains(a.Answer, "not here: https://hooks.example.com/shop") {
		t.Errorf("the last attempt: got %+v, want 404 and the receiver's text", a)
	}
	if _, err := s.Deliveries("none"); err == nil {
		t.Error("Deliveries of an unknown endpoint: got no error, want one")
	}
}

// A handler in the test receives the webhooks. A real one verifies the signature first,
// with a Receiver of package webhook.
func ExampleWithReceiver() {
	receiver := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, data, _ := strings.Cut(string(body), `"data":`)
		fmt.Println(r.Header.Get("X-Service-Event"), data)
	})
	setup, err := hostingtest.ReadSetup(strings.NewReader(`{"webhooks": [{"url": "https://hooks.example.com", "secret": "secret"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	service := hostingtest.New(hostingtest.WithSetup(setup), hostingtest.WithReceiver(receiver))
	defer service.Close()
	service.Emit("health_alert", "", map[string]any{"healthy": false})
	service.Advance(0) // all due deliveries have been attempted
	// Output: health_alert {"healthy":false}}
}
