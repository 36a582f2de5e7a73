package couchdb

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/process"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// options returns valid options for a folder.
func options(t *testing.T, folder string) (Options, *x509.CertPool) {
	t.Helper()
	program, err := Locate(t.Context(), machine.Built(t, "couchdb"))
	if err != nil {
		machine.Lacks(t, "%s", err)
	}
	sandbox, _ := process.FindSandbox(t.Context(), os.Getenv("PATH")) // without one, the servers run outside
	issuer := httptest.NewTLSServer(nil)
	t.Cleanup(issuer.Close)
	key := must.Get(x509.MarshalPKCS8PrivateKey(issuer.TLS.Certificates[0].PrivateKey))(t)
	roots := x509.NewCertPool()
	roots.AddCert(issuer.Certificate())
	return Options{
		Program: program, Folder: folder, Host: "127.0.0.1", Sandbox: sandbox,
		Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issuer.Certificate().Raw})),
		Key:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
		Settings:    Settings{Password: "secret", MemoryMB: 256},
	}, roots
}

// open starts a server and returns a customer of it.
func open(t *testing.T, change ...func(*Options)) *customer {
	t.Helper()
	o, roots := options(t, filepath.Join(machine.PassableFolder(t, ""), "c"))
	for _, change := range change {
		change(&o)
	}
	s := must.Get(Open(t.Context(), o))(t)
	t.Cleanup(func() { s.Remove() })
	return customerOf(t, s, roots)
}

// customer is a client of a server with a password.
type customer struct {
	t      *testing.T
	server *Server
	client *http.Client
	base   *url.URL
}

func customerOf(t *testing.T, s *Server, roots *x509.CertPool) *customer {
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	base := &url.URL{Scheme: "https", Host: s.proxy.Address(), User: url.UserPassword(Customer, "secret")}
	return &customer{t, s, &http.Client{Transport: transport, Timeout: machine.Patience}, base}
}

// as returns a client with other credentials.
func (c customer) as(user *url.Userinfo) *customer {
	base := *c.base
	base.User = user
	c.base = &base
	return &c
}

// ask sends a request with a JSON document, or without one if it is "", and with headers given
// as names and values.
func (c *customer) ask(method, path, body string, header ...string) *http.Response {
	c.t.Helper()
	request := must.Get(http.NewRequestWithContext(c.t.Context(), method, c.base.String()+path, strings.NewReader(body)))(c.t)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	answer, err := c.client.Do(request)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

// status sends a request like ask and returns the status of the answer.
func (c *customer) status(method, path, body string) (int, error) {
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.base.String()+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := c.client.Do(request)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}

// do sends a request and returns the JSON object of the answer, which must have the status
// want.
func (c *customer) do(method, path, body string, want int) map[string]any {
	c.t.Helper()
	answer := c.ask(method, path, body)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != want {
		c.t.Fatalf("%s %s: got status %d, %s (%v), want status %d", method, path, answer.StatusCode, text, err, want)
	}
	var object map[string]any
	_ = json.Unmarshal(text, &object) // lists are not needed
	return object
}

// value checks the value of the only document of the tests, "" for none.
func (c *customer) value(want string) {
	c.t.Helper()
	if want == "" {
		c.do("GET", "/db/doc", "", http.StatusNotFound)
		return
	}
	if got := c.do("GET", "/db/doc", "", http.StatusOK)["value"]; got != want {
		c.t.Errorf("the value: got %v, want %v", got, want)
	}
}

// write creates the database and the document.
func (c *customer) write(value string) {
	c.t.Helper()
	c.do("PUT", "/db", "", http.StatusCreated)
	c.do("PUT", "/db/doc", `{"value":"`+value+`"}`, http.StatusCreated)
}
