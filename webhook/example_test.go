package webhook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/instance-hosting/terraform-provider-hosting/webhook"
)

// deliver sends a delivery to a receiver as the service does, and prints the answer's
// status.
func deliver(receiver http.Handler, id, body, secret string) {
	request := httptest.NewRequest(http.MethodPost, "/hooks", bytes.NewReader([]byte(body)))
	request.Header.Set(webhook.EventHeader, "ready")
	request.Header.Set(webhook.DeliveryHeader, id)
	request.Header.Set(webhook.SignatureHeader, webhook.Sign([]byte(body), secret))
	answer := httptest.NewRecorder()
	receiver.ServeHTTP(answer, request)
	fmt.Println(answer.Code)
}

const ready = `{"id":"evt-1","type":"ready","instance_id":"i-shop","at":"2026-03-01T12:08:00Z","data":{"job_id":"job-1"}}`

func ExampleReceiver() {
	receiver := &webhook.Receiver{
		Secrets: []string{"the endpoint's secret"},
		Handle: func(_ context.Context, d webhook.Delivery) error {
			switch d.Event.Type {
			case "ready":
				fmt.Println(d.Event.InstanceID, "runs")
			case "job_failed":
				fmt.Println("a job failed:", string(d.Event.Data))
			}
			return nil // ignore unknown types
		},
	}
	deliver(receiver, "dlv-1", ready, "the endpoint's secret")
	deliver(receiver, "dlv-1", ready, "the endpoint's secret") // a retry
	deliver(receiver, "dlv-2", ready, "somebody else's secret")
	// Output:
	// i-shop runs
	// 204
	// 204
	// 401
}

func ExampleVerify() {
	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, webhook.MaxBody))
		if err != nil {
			http.Error(w, "the body cannot be read", http.StatusBadRequest)
			return
		}
		// While a secret is being changed, pass both the new one and the old one.
		d, err := webhook.Verify(body, r.Header, "the new secret", "the old secret")
		if errors.Is(err, webhook.ErrSignature) {
			http.Error(w, "signature mismatch", http.StatusUnauthorized)
			return
		}
		if err != nil {
			http.Error(w, "malformed delivery", http.StatusBadRequest)
			return
		}
		fmt.Println(d.ID, d.Event.Type, d.Event.InstanceID, d.Event.At)
		w.WriteHeader(http.StatusNoContent)
	})
	deliver(receiver, "dlv-1", ready, "the old secret")
	// Output:
	// dlv-1 ready i-shop 2026-03-01 12:08:00 +0000 UTC
	// 204
}
