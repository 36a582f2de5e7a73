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

// A receiver is where the events of the demo go, on this machine. The secret that signs
// them is Terraform's, and known once it has applied: until then they are kept.
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

// url is the address of the endpoint.
func (r *receiver) url() string { return r.server.URL + "/guestbook" }

// authority is a file with the certificate that the fake has to trust. Whoever asks for it
// removes it.
func (r *receiver) authority() (path string, err error) {
	file, err := os.CreateTemp("", "hosting-demo-*.pem")
	if err != nil {
		return "", err
	}
	err = pem.Encode(file, &pem.Block{Type: "CERTIFICATE", Bytes: r.server.Certificate().Raw})
	return file.Name(), errors.Join(err, file.Close())
}

// heard is how many events came, each of them signed with the secret.
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
