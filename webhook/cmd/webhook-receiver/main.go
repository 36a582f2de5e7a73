// Command webhook-receiver receives the hosting service's deliveries to a webhook
// endpoint, verifies them and prints one line for each event.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/webhook"
)

func main() {
	if err := serveUntilSignalled(); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "webhook-receiver:", err)
		os.Exit(1)
	}
}

func serveUntilSignalled() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, os.Args[1:], os.Getenv("WEBHOOK_SECRET"), os.Stdout)
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, secret string, out io.Writer) error {
	flags := flag.NewFlagSet("webhook-receiver", flag.ContinueOnError)
	address := flags.String("listen", "127.0.0.1:9000", "address to listen on; with port 0, a free port")
	certificate := flags.String("cert", "", "PEM file with the certificate; default: none, and http is served, which the service accepts only on loopback addresses")
	key := flags.String("key", "", "PEM file with the certificate's key")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if secret == "" {
		return errors.New("WEBHOOK_SECRET is empty: set it to the endpoint's secret")
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", *address)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/hooks", newReceiver(secret, out))
	server := &http.Server{Handler: mux, ReadTimeout: 10 * time.Second}
	scheme, serve := "http", func() error { return server.Serve(listener) }
	if *certificate != "" {
		scheme, serve = "https", func() error { return server.ServeTLS(listener, *certificate, *key) }
	}
	fmt.Fprintf(out, "Deliveries are received at %s://%s/hooks\n", scheme, listener.Addr())
	served := make(chan error, 1)
	go func() { served <- serve() }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	graceful, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return server.Shutdown(graceful)
}

// newReceiver returns a receiver that prints each event once. To handle events, replace
// the printing. If Handle returns an error, the service delivers the event again a minute
// later.
func newReceiver(secret string, out io.Writer) *webhook.Receiver {
	return &webhook.Receiver{
		Secrets: []string{secret},
		Handle: func(_ context.Context, d webhook.Delivery) error {
			e := d.Event
			about := e.InstanceID
			if about == "" {
				about = "the account"
			}
			_, err := fmt.Fprintf(out, "%s %s of %s: %s\n", e.At.Format(time.RFC3339), e.Type, about, e.Data)
			return err
		},
		Refused: func(err error) { fmt.Fprintln(out, "refused:", err) },
	}
}
