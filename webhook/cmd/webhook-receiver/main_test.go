package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/webhook"
)

// TestReceiver sends the receiver a delivery as the service does, and one that is signed
// with a different secret.
func TestReceiver(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, []string{"--listen", "127.0.0.1:0"}, "the secret", writer)
		_ = writer.Close()
	}()
	lines := bufio.NewScanner(reader)
	next := func() string {
		t.Helper()
		if !lines.Scan() {
			t.Fatalf("the receiver: got its end (%v), want a further line", lines.Err())
		}
		return lines.Text()
	}
	_, url, _ := strings.Cut(next(), " at ")

	status := deliver(t, url, "the secret")
	if got, want := next(), `2026-03-01T12:08:00Z health_alert of i-shop: {"healthy":false}`; got != want {
		t.Errorf("got line %q, want %q", got, want)
	}
	if got := <-status; got != http.StatusNoContent {
		t.Errorf("a delivery: got status %d, want 204", got)
	}
	status = deliver(t, url, "another secret")
	if got := next(); !strings.HasPrefix(got, "refused: ") {
		t.Errorf("got line %q, want a refusal", got)
	}
	if got := <-status; got != http.StatusUnauthorized {
		t.Errorf("a delivery signed with a different secret: got status %d, want 401", got)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// deliver sends an event to url. It returns a channel for the answer's status, because
// the receiver answers only after its output line is read.
func deliver(t *testing.T, url, secret string) <-chan int {
	t.Helper()
	const body = `{"id":"evt-1","type":"health_alert","instance_id":"i-shop","at":"2026-03-01T12:08:00Z","data":{"healthy":false}}`
	request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set(webhook.EventHeader, "health_alert")
	request.Header.Set(webhook.DeliveryHeader, "dlv-1")
	request.Header.Set(webhook.SignatureHeader, webhook.Sign([]byte(body), secret))
	status := make(chan int, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Errorf("deliver: %v", err)
			close(status)
			return
		}
		_ = response.Body.Close()
		status <- response.StatusCode
	}()
	return status
}

func TestReceiverWantsASecret(t *testing.T) {
	t.Parallel()
	if err := run(context.Background(), nil, "", io.Discard); err == nil {
		t.Error("run without a secret: got no error, want one")
	}
}
