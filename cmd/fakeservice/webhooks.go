package main

import (
	"crypto/x509"
	"fmt"
	"os"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/webhooks"
)

// webhookSettings configures where webhooks may be delivered.
type webhookSettings struct {
	loopback bool
	ca       string
}

// newCourier returns the courier that delivers webhooks.
func newCourier(s webhookSettings) (*webhooks.Courier, error) {
	o := webhooks.Options{Loopback: s.loopback}
	if s.ca == "" {
		return webhooks.New(o), nil
	}
	text, err := os.ReadFile(s.ca)
	if err != nil {
		return nil, fmt.Errorf("--webhook-ca: %w", err)
	}
	if o.Authorities, err = x509.SystemCertPool(); err != nil {
		o.Authorities = x509.NewCertPool() // not every machine has one
	}
	if !o.Authorities.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--webhook-ca: %s has no certificate in PEM", s.ca)
	}
	return webhooks.New(o), nil
}
