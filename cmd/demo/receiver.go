package main

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/signed"
)

// A receiver receives the demo's events on this machine. Terraform generates the secret
// that signs them, which is known after the apply; until then the receiver stores the
// events.
type receiver struct {
	server *httptest.Server
	mu     sync.Mutex
	came   []delivery
}

type delivery struct {
	header http.Header
	body   []byte
}

func startReceiver() *receiver {
	r := &receiver{}
	r.server = httptest.NewTLSServer(r)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 1<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	r.came = append(r.came, delivery{request.Header, body})
	r.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}

// url returns the address of the endpoint.
func (r *receiver) url() string { return r.server.URL + "/guestbook" }

// authority returns a file with the certificate that the fake must trust. The caller
// removes the file.
func (r *receiver) authority() (path string, err error) {
	file, err := os.CreateTemp("", "hosting-demo-*.pem")
	if err != nil {
		return "", err
	}
	err = pem.Encode(file, &pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
	return file.Name(), errors.Join(err, file.Close())
}

// heard returns the number of events received, each signed with the secret.
func (r *receiver) heard(secret string) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := map[string]bool{}
	for _, one := range r.came {
		verified, err := signed.Verify(one.body, one.header, secret)
		if err != nil {
			return 0, fmt.Errorf("a webhook delivery is not the service's: %w", err)
		}
		events[verified.Event.ID] = true
	}
	return len(events), nil
}
