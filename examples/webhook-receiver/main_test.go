package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
)

// The receiver prints what a service delivers, and refuses what it has not signed.
func TestReceiver(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
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
			t.Fatalf("the receiver said no more: %v", lines.Err())
		}
		return lines.Text()
	}
	_, url, _ := strings.Cut(next(), " at ")

	service := fakeservice.New(fakeservice.Options{Courier: webhooks.New(webhooks.Options{Loopback: true})})
	defer service.Close()
	endpoint := service.AddWebhook(fakeservice.Webhook{URL: url, Secret: "the secret", Enabled: true})
	service.Emit("health_alert", "i-shop", map[string]any{"healthy": false})
	if line := next(); !strings.HasSuffix(line, ` health_alert of i-shop: {"healthy":false}`) {
		t.Errorf("it said %s", line)
	}
	service.Advance(0)
	if list, err := service.Deliveries(endpoint.ID); err != nil || len(list) != 1 || list[0].State != "delivered" {
		t.Errorf("the deliveries are %+v (%v)", list, err)
	}

	service.EditWebhook(endpoint.ID, func(w *fakeservice.Webhook) { w.Secret = "another" })
	service.Emit("health_reset", "", nil)
	if line := next(); !strings.HasPrefix(line, "refused: ") {
		t.Errorf("it said %s", line)
	}
	service.Advance(0)
	if list, _ := service.Deliveries(endpoint.ID); len(list) != 2 || list[0].Attempts[0].Status != http.StatusUnauthorized {
		t.Errorf("the deliveries are %+v", list)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestReceiverWantsASecret(t *testing.T) {
	t.Parallel()
	if err := run(t.Context(), nil, "", io.Discard); err == nil {
		t.Error("it serves without a secret")
	}
}
