package dataplane_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// object is a JSON object.
type object = map[string]any

// fake is a fake service with a data plane and a client for it.
type fake struct {
	*fakeservicetest.Server
	t *testing.T
}

func start(t *testing.T, opts ...func(*dataplane.Options)) *fake {
	t.Helper()
	return &fake{fakeservicetest.Start(t, fakeservicetest.WithDataPlane(t, opts...)), t}
}

// request makes a request with the account's key.
func (f *fake) request(method, path string, body any) *http.Request {
	f.t.Helper()
	var text bytes.Buffer
	if body != nil {
		must.Do(f.t, json.NewEncoder(&text).Encode(body))
	}
	request := must.Get(http.NewRequest(method, f.BaseURL+path, &text))(f.t)
	request.Header.Set("Authorization", "Bearer "+f.APIKey())
	request.Header.Set("Content-Type", "application/json")
	return request
}

// call sends a request and returns the status and the body.
func (f *fake) call(method, path string, body any) (int, object) {
	f.t.Helper()
	response, err := http.DefaultClient.Do(f.request(method, path, body))
	must.Do(f.t, err)
	defer response.Body.Close()
	var answer object
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		f.t.Fatalf("%s %s: %s", method, path, err)
	}
	return response.StatusCode, answer
}

// job sends a mutation, finishes its job and returns the job.
func (f *fake) job(method, path string, body any) fakeservice.Job {
	f.t.Helper()
	defer f.HoldJobs(fakeservice.JobMatch{})() // or the job could end by itself first
	status, answer := f.call(method, path, body)
	id, _ := answer["job_id"].(string)
	if status != http.StatusAccepted || id == "" {
		f.t.Fatalf("%s %s: got %d %v, want 202 with a job", method, path, status, answer)
	}
	must.Do(f.t, f.FinishJob(id))
	for _, j := range f.Jobs() {
		if j.ID == id {
			return j
		}
	}
	f.t.Fatalf("the job %s: got none in the records, want one", id)
	return fakeservice.Job{}
}

// done is job for a job that must succeed.
func (f *fake) done(method, path string, body any) {
	f.t.Helper()
	if j := f.job(method, path, body); j.Status != fakeservice.StatusDone {
		f.t.Fatalf("the job of %s %s: got %s with %s: %s, want %s", method, path, j.Status, j.ErrorCode, j.ErrorDetail, fakeservice.StatusDone)
	}
}

// box is an instance with Postgres.
type box struct {
	*fake
	id, path string
}

// box creates an instance with Postgres through the API.
func (f *fake) box() *box {
	f.t.Helper()
	status, made := f.call("POST", "/instances", object{
		"name": "box", "plan": "free", "region": "eu-central", "engines": object{"postgres": true},
	})
	if status != http.StatusAccepted {
		f.t.Fatalf("the creation: got %d %v, want 202", status, made)
	}
	must.Do(f.t, f.FinishJob(made["job_id"].(string)))
	id := made["id"].(string)
	if in, _ := f.Instance(id); in.Status != fakeservice.StatusRunning {
		for _, j := range f.Jobs() {
			f.t.Logf("%s %s: %s %s", j.Operation, j.Status, j.ErrorCode, j.ErrorDetail)
		}
		f.t.Fatalf("the instance: got %s, want %s", in.Status, fakeservice.StatusRunning)
	}
	return &box{f, id, "/instances/" + id}
}

// emptyBox creates an instance without Postgres and turns these engines on.
func (f *fake) emptyBox(engines object) *box {
	f.t.Helper()
	status, made := f.call("POST", "/instances", object{"name": "box", "plan": "free", "region": "eu-central"})
	if status != http.StatusAccepted {
		f.t.Fatalf("the creation: got %d %v, want 202", status, made)
	}
	must.Do(f.t, f.FinishJob(made["job_id"].(string)))
	id := made["id"].(string)
	b := &box{f, id, "/instances/" + id}
	b.engines(engines)
	return b
}

// engines turns these engines on and all others off.
func (b *box) engines(engines object) {
	b.t.Helper()
	b.done("PUT", b.path+"/engines", object{"engines": engines})
}

// connection is the connection record of an instance.
type connection struct {
	Host        string `json:"host"`
	Certificate string `json:"ca_certificate"`
	Engines     struct {
		Postgres struct {
			Owner    string `json:"owner_url"`
			ReadOnly string `json:"readonly_url"`
			Direct   int    `json:"direct_port"`
			Pooled   int    `json:"pooled_port"`
		}
		Redis, NATS, CouchDB struct{ URL string }
	}
}

func (b *box) connection() connection {
	b.t.Helper()
	status, answer := b.call("GET", b.path+"/connection", nil)
	if status != http.StatusOK {
		b.t.Fatalf("the connection record: got %d %v, want 200", status, answer)
	}
	text := must.Get(json.Marshal(answer))(b.t)
	var record connection
	must.Do(b.t, json.Unmarshal(text, &record))
	return record
}

// roots returns a pool that contains only the instance's CA.
func (b *box) roots() *x509.CertPool {
	b.t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(b.connection().Certificate)) {
		b.t.Fatal("the CA of the connection record: got no PEM, want a certificate")
	}
	return roots
}

// query runs a statement in the console and returns the answer, which must have the
// status want.
func (b *box) query(sql string, want int) object {
	b.t.Helper()
	status, answer := b.call("POST", b.path+"/engines/postgres/query", object{"sql": sql})
	if status != want {
		b.t.Errorf("%s: got %d %v, want %d", sql, status, answer, want)
	}
	return answer
}

// dial connects to a URL as a careful application does: with verify-full and the record's
// CA. change modifies the configuration.
func (b *box) dial(link string, change ...func(*pgx.ConnConfig)) (*pgx.Conn, error) {
	b.t.Helper()
	config := must.Get(pgx.ParseConfig(link))(b.t)
	config.TLSConfig = &tls.Config{RootCAs: b.roots(), ServerName: config.Host, MinVersion: tls.VersionTLS12}
	for _, change := range change {
		change(config)
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), machine.Patience)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err == nil {
		b.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	}
	return conn, err
}

// owner connects as the owner.
func (b *box) owner(change ...func(*pgx.ConnConfig)) *pgx.Conn {
	b.t.Helper()
	return must.Get(b.dial(b.connection().Engines.Postgres.Owner, change...))(b.t)
}

// exec runs statements that must succeed.
func (b *box) exec(conn *pgx.Conn, statements ...string) {
	b.t.Helper()
	for _, sql := range statements {
		if _, err := conn.Exec(b.t.Context(), sql); err != nil {
			b.t.Fatalf("%s: %s", sql, err)
		}
	}
}

// count returns the number that a query returns.
func (b *box) count(conn *pgx.Conn, sql string) int {
	b.t.Helper()
	var n int
	if err := conn.QueryRow(b.t.Context(), sql).Scan(&n); err != nil {
		b.t.Fatalf("%s: %s", sql, err)
	}
	return n
}

// from makes a connection come from a different address of this machine.
func from(address string) func(*pgx.ConnConfig) {
	return func(config *pgx.ConnConfig) {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		config.DialFunc = dialer.DialContext
	}
}

// withPort returns a URL with its port replaced.
func withPort(t *testing.T, link string, port int) string {
	t.Helper()
	u := must.Get(url.Parse(link))(t)
	u.Host = net.JoinHostPort(u.Hostname(), strconv.Itoa(port))
	return u.String()
}
