package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// visitor uses a fake from another machine: the advertised host resolves to an address.
type visitor struct {
	*running
	host, address string
	ports         publicaddr.Ports
	token         string
	// secrets must not appear in any log.
	secrets []string
}

// stranger is a host name that resolves to the fake but is not its own.
const stranger = "other.example"

// client dials the address, however this machine would resolve the host.
func (v *visitor) client() *http.Client {
	return &http.Client{Timeout: machine.Patience, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(address)
			if err == nil && (host == v.host || host == stranger) {
				address = net.JoinHostPort(v.address, port)
			}
			var dialer net.Dialer
			return dialer.DialContext(ctx, network, address)
		},
	}}
}

// get requests a page and returns the status and the text.
func (v *visitor) get(t *testing.T, address, token string) (int, string) {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("apikey", token)
	}
	response, err := v.client().Do(request)
	must.Do(t, err)
	defer response.Body.Close()
	text := must.Get(io.ReadAll(response.Body))(t)
	return response.StatusCode, string(text)
}

// mustBeOutside checks that a URL has the advertised host and a port of the range that no
// other part uses. It returns the port.
func (v *visitor) mustBeOutside(t *testing.T, what, address string, seen map[string]string) int {
	t.Helper()
	u := must.Get(url.Parse(address))(t)
	port, _ := strconv.Atoi(u.Port())
	if u.Hostname() != v.host || port < v.ports.First || port > v.ports.Last || seen[u.Port()] != "" {
		t.Errorf("the address of %s: got %s, want %s and a port of %s that is not in %v", what, u.Host, v.host, v.ports, seen)
	}
	seen[u.Port()] = what
	return port
}

// query connects as a careful client does, verify-full with the instance's CA, and selects
// a number. The host resolves to an address.
func query(t *testing.T, link, certificate, address string) error {
	t.Helper()
	config := must.Get(pgx.ParseConfig(link))(t)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(certificate)) {
		t.Fatalf("the CA certificate: got %q, want PEM", certificate)
	}
	config.TLSConfig = &tls.Config{RootCAs: roots, ServerName: config.Host, MinVersion: tls.VersionTLS12}
	config.LookupFunc = func(context.Context, string) ([]string, error) { return []string{address}, nil }
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	ctx, cancel := context.WithTimeout(t.Context(), machine.Patience)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.Background())
	var n int
	return conn.QueryRow(ctx, "SELECT 1").Scan(&n)
}

// visit creates an instance that runs for real, and reaches each part of it at the
// addresses in the records.
func (v *visitor) visit(t *testing.T) (certificate string, app string) {
	t.Helper()
	v.transport = v.client().Transport
	made := v.call(t, http.MethodPost, "/instances", `{"name": "box", "plan": "free", "region": "eu-central", "engines": {"postgres": true, "apps": true, "auth": true}}`)
	v.wait(t, made)
	path := "/instances/" + made["id"].(string)
	if record := v.call(t, http.MethodGet, path, ""); record["host"] != v.host {
		t.Errorf("the instance's host: got %v, want %s", record["host"], v.host)
	}
	var record struct {
		Host        string
		Certificate string `json:"ca_certificate"`
		Engines     struct {
			Postgres struct {
				Owner  string `json:"owner_url"`
				Direct int    `json:"direct_port"`
				Pooled int    `json:"pooled_port"`
			}
			Auth struct {
				URL        string
				AnonKey    string `json:"anon_key"`
				ServiceKey string `json:"service_key"`
			}
		}
	}
	text, err := json.Marshal(v.call(t, http.MethodGet, path+"/connection", ""))
	if err == nil {
		err = json.Unmarshal(text, &record)
	}
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]string{}
	postgres := record.Engines.Postgres
	if direct := v.mustBeOutside(t, "Postgres", postgres.Owner, seen); record.Host != v.host || direct != postgres.Direct {
		t.Errorf("the record: got the host %s and the port %d, want %s and %d", record.Host, postgres.Direct, v.host, direct)
	}
	owner := must.Get(url.Parse(postgres.Owner))(t)
	password, _ := owner.User.Password()
	v.secrets = []string{v.key, v.token, password, record.Engines.Auth.ServiceKey}
	links := []string{postgres.Owner}
	if postgres.Pooled != 0 {
		pooled := strings.Replace(postgres.Owner, ":"+strconv.Itoa(postgres.Direct)+"/", ":"+strconv.Itoa(postgres.Pooled)+"/", 1)
		v.mustBeOutside(t, "PgBouncer", pooled, seen)
		links = append(links, pooled)
	}
	for _, link := range links {
		if err := query(t, link, record.Certificate, v.address); err != nil {
			t.Errorf("no connection: %s", err)
		}
	}

	v.mustBeOutside(t, "auth", record.Engines.Auth.URL, seen)
	if status, _ := v.get(t, record.Engines.Auth.URL+"/settings", record.Engines.Auth.AnonKey); status != http.StatusOK {
		t.Errorf("the answer of the auth engine: got %d, want 200", status)
	}

	v.wait(t, v.call(t, http.MethodPost, path+"/apps/import", `{"repo": "octo/app", "branch": "main", "name": "web", "port": 3000, "health_path": "/healthz", "public": true}`))
	app, _ = v.runs(t, path+"/apps/web")["url"].(string)
	v.mustBeOutside(t, "the app", app, seen)
	if status, host := v.get(t, app+"/host", ""); status != http.StatusOK || "http://"+host != app {
		t.Errorf("the app: got %d, asked for at %s, want 200 at %s", status, host, app)
	}

	paid := v.call(t, http.MethodPost, "/instances", `{"name": "paid", "plan": "small", "region": "eu-central", "engines": {}}`)
	checkout, _ := paid["checkout_url"].(string)
	if !strings.HasPrefix(checkout, strings.TrimSuffix(v.base, "/api/v1")+"/checkout/") || !strings.Contains(checkout, v.host) {
		t.Errorf("the checkout's address: got %s, want the route at %s", checkout, v.host)
	}
	if status, page := v.get(t, checkout, ""); status != http.StatusOK || !strings.Contains(page, "Thank you") {
		t.Errorf("the checkout: got %d, want 200 and thanks", status)
	}

	control := strings.TrimSuffix(v.base, "/api/v1") + "/_fake/left"
	if with, _ := v.get(t, control, v.token); with != http.StatusOK {
		t.Errorf("a control route with the token: got %d, want %d", with, http.StatusOK)
	}
	if without, _ := v.get(t, control, v.key); without != http.StatusUnauthorized {
		t.Errorf("a control route without the token: got %d, want %d", without, http.StatusUnauthorized)
	}
	if other, _ := v.get(t, strings.Replace(control, v.host, stranger, 1), v.token); other != http.StatusForbidden {
		t.Errorf("a control route at another host name: got %d, want %d", other, http.StatusForbidden)
	}
	return record.Certificate, app
}

const appRepository = "octo/app=../../internal/fakeservice/appruntime/testdata/app"

// With only a name, and ports from a range. A container publishes the same, here on this
// machine's own loopback address.
func TestAdvertisedHost(t *testing.T) {
	t.Parallel()
	ports := fakeservicetest.FreePorts(t, 20)
	log := &processes.Output{}
	fake := runFake(t, log, "--data-plane", "on", "--speed", "1000", "--log-level", "debug", "--repo", appRepository, "--control-token", "the-token",
		"--advertise-host", "Fake.example", "--ports", ports.String())
	v := &visitor{running: fake, host: "fake.example", address: "127.0.0.1", ports: ports, token: "the-token"}
	certificate, app := v.visit(t)
	for _, secret := range v.secrets {
		if secret == "" || strings.Contains(log.String(), secret) {
			t.Errorf("the log contains the secret %q:\n%s", secret, log)
		}
	}

	// Programs on the instance reach Postgres at an inside address, which is in the
	// certificate as well.
	_, environment := v.get(t, app+"/env", "")
	for line := range strings.Lines(environment) {
		link, found := strings.CutPrefix(strings.TrimSpace(line), "DATABASE_URL=")
		if !found {
			continue
		}
		u := must.Get(url.Parse(link))(t)
		u.RawQuery = "sslmode=verify-full"
		if !net.ParseIP(u.Hostname()).IsLoopback() {
			t.Errorf("the address of the app's database: got %s, want the loopback", u.Host)
		}
		if err := query(t, u.String(), certificate, u.Hostname()); err != nil {
			t.Errorf("no connection from the inside: %s", err)
		}
		return
	}
	t.Errorf("the app's environment: got\n%s\nwant a database in it", environment)
}

// If the range is used up, the job reports that, and running parts continue.
func TestPortsThatAreUsedUp(t *testing.T) {
	t.Parallel()
	ports := fakeservicetest.FreePorts(t, 1)
	fake := runFake(t, os.Stderr, "--data-plane", "on", "--speed", "1000", "--log-level", "error", "--advertise-host", "localhost", "--ports", ports.String())
	made := fake.call(t, http.MethodPost, "/instances", `{"name": "box", "plan": "free", "region": "eu-central", "engines": {"postgres": true, "apps": true, "auth": true}}`)
	job := fake.ended(t, made)
	if job["status"] != fakeservice.StatusFailed {
		t.Fatalf("the job: got %v, want it failed", job)
	}
	if detail := job["error"].(map[string]any)["detail"].(string); !strings.Contains(detail, "no port of "+ports.String()+" is free") {
		t.Errorf("the job's error: got %q, want that no port of %s is free", detail, ports.String())
	}
}
