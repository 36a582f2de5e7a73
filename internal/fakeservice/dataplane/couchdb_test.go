package dataplane_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// needsCouchDB skips the test without Node.js or the npm packages of CouchDB.
func needsCouchDB(t *testing.T) {
	t.Helper()
	if _, err := couchdb.Locate(t.Context(), machine.Built(t, "couchdb")); err != nil {
		machine.Lacks(t, "%s", err)
	}
}

// couchBox creates an instance with only CouchDB.
func (f *fake) couchBox() *box {
	f.t.Helper()
	needsCouchDB(f.t)
	return f.emptyBox(object{"couchdb": object{}})
}

// couch is a client of a CouchDB.
type couch struct {
	t         *testing.T
	base      string
	transport *http.Transport
}

// couchAt returns a client for a URL that trusts only the given CAs.
func couchAt(t *testing.T, link string, roots *x509.CertPool) *couch {
	t.Helper()
	// Each request comes by a new connection, which meets the allowlist.
	c := &couch{t, link, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, DisableKeepAlives: true}}
	return c
}

// couch returns a client for the connection record's URL.
func (b *box) couch() *couch {
	b.t.Helper()
	return couchAt(b.t, b.connection().Engines.CouchDB.URL, b.roots())
}

// try sends a request. body is a JSON document, or "" for none.
func (c *couch) try(method, path, body string) (status int, answer object, err error) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), machine.Patience)
	defer cancel()
	request := must.Get(http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body)))(c.t)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := (&http.Client{Transport: c.transport}).Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	return response.StatusCode, answer, json.NewDecoder(response.Body).Decode(&answer)
}

func (c *couch) do(method, path, body string, want int) object {
	c.t.Helper()
	status, answer, err := c.try(method, path, body)
	if err != nil || status != want {
		c.t.Fatalf("%s %s: got %d %v (%v), want %d", method, path, status, answer, err, want)
	}
	return answer
}

// put sets the value of the tests' document, and creates its database if necessary.
func (c *couch) put(value string) {
	c.t.Helper()
	if status, answer, err := c.try("PUT", "/db", ""); err != nil || status != http.StatusCreated && status != http.StatusPreconditionFailed {
		c.t.Fatalf("PUT /db: got %d %v (%v), want 201 or 412", status, answer, err)
	}
	revision := ""
	if status, answer, err := c.try("GET", "/db/doc", ""); err == nil && status == http.StatusOK {
		revision = "?rev=" + answer["_rev"].(string)
	}
	c.do("PUT", "/db/doc"+revision, `{"value":"`+value+`"}`, http.StatusCreated)
}

// has checks the value of the document; "" means that there is none.
func (c *couch) has(want string) {
	c.t.Helper()
	status, answer, err := c.try("GET", "/db/doc", "")
	got, _ := answer["value"].(string)
	if err != nil || got != want || (status == http.StatusOK) != (want != "") {
		c.t.Errorf("the document: got %d %v (%v), want %q", status, answer, err, want)
	}
}

// refused checks that the connection is not served.
func (c *couch) refused(what string) {
	c.t.Helper()
	if status, answer, err := c.try("GET", "/", ""); err == nil {
		c.t.Errorf("%s: got %d %v, want no answer", what, status, answer)
	}
}

// from makes connections come from a different address of this machine.
func (c *couch) from(address string) *couch {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	c.transport.DialContext = dialer.DialContext
	return c
}

// couchEvents returns the events about databases, such as "couch_database_created db".
func (b *box) couchEvents() []string {
	var events []string
	for _, e := range b.Events() {
		if database, ok := e.Data["database"].(string); ok && len(e.Data) == 1 && e.InstanceID == b.id {
			events = append(events, e.Type+" "+database)
		}
	}
	return events
}

func TestCouchDBIsReal(t *testing.T) {
	t.Parallel()
	b := start(t).couchBox()
	client := b.couch()
	client.put("v")
	client.has("v")
	_, record := b.call("GET", b.path, nil)
	link, err := url.Parse(b.connection().Engines.CouchDB.URL)
	if err != nil || link.Scheme != "https" || link.User.Username() != couchdb.Customer {
		t.Fatalf("the URL: got %s and error %v, want one of https for %s", link, err, couchdb.Customer)
	}
	if port := record["engines"].(object)["couchdb"].(object)["port"].(float64); link.Port() != strconv.Itoa(int(port)) {
		t.Errorf("the port of the URL: got %s, want that of the record: %v", link.Port(), port)
	}
	couchAt(t, strings.Replace(b.couch().base, "https:", "http:", 1), nil).refused("without TLS")
	_, _, err = couchAt(t, b.couch().base, nil).try("GET", "/", "")
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a client that does not trust the CA: got error %v, want one of the certificate", err)
	}
	password, _ := link.User.Password()
	couchAt(t, strings.Replace(client.base, password, "wrong", 1), b.roots()).do("GET", "/db", "", http.StatusUnauthorized)
	couchAt(t, "https://"+link.Host, b.roots()).do("GET", "/db", "", http.StatusUnauthorized)

	before := b.pid("couchdb")
	b.done("POST", b.path+"/engines/couchdb/actions/restart", object{})
	if now := b.pid("couchdb"); before == 0 || now == 0 || now == before {
		t.Errorf("the process: got %d, want one other than 0 and %d", now, before)
	}
	client.has("v")
	client.do("DELETE", "/db", "", http.StatusOK)
	client.do("DELETE", "/db", "", http.StatusNotFound)
	if got, want := b.couchEvents(), []string{"couch_database_created db", "couch_database_deleted db"}; !slices.Equal(got, want) {
		t.Errorf("the events: got %v, want %v", got, want)
	}
}

// couch returns a client of a machine's CouchDB.
func (r *records) couch(p *dataplane.Plane, id string) *couch {
	r.t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(r.authority.Certificate))
	at := p.Endpoints(id)
	link := url.URL{
		Scheme: "https", Host: net.JoinHostPort(at.Host, strconv.Itoa(at.CouchDBPort)),
		User: url.UserPassword(couchdb.Customer, r.credentials(id).CouchDB),
	}
	return couchAt(r.t, link.String(), roots)
}
