package authengine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"
	"golang.org/x/crypto/bcrypt"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/postgres"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// cluster is one PostgreSQL for all tests; each test has its own database.
var cluster *postgres.Cluster

func TestMain(m *testing.M) {
	if !tier.Change.Select() {
		return
	}
	code, err := runWithCluster(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func runWithCluster(m *testing.M) (code int, err error) {
	ctx := context.Background()
	binaries, err := postgres.Locate(ctx, "")
	if err != nil {
		return 0, err
	}
	folder, err := os.MkdirTemp("", "auth-test-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	if err := os.Chmod(folder, 0o755); err != nil {
		return 0, err
	}
	server, err := postgres.NewServer(postgres.Options{Binaries: binaries, Folder: folder + "/pg"})
	if err != nil {
		return 0, err
	}
	defer server.Close()
	certificate, key, err := selfSigned()
	if err != nil {
		return 0, err
	}
	cluster, err = server.NewCluster(ctx, "auth", postgres.Settings{
		Host: "127.0.0.1", Certificate: certificate, Key: key,
		OwnerPassword: "owner-password", ReadOnlyPassword: "readonly-password", Connections: 80,
	})
	if err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// dsn returns the current connection string of a database in the cluster.
func dsn(database string) string {
	return fmt.Sprintf("postgresql://owner:owner-password@127.0.0.1:%d/%s?sslmode=require", cluster.InsidePort(), database)
}

var databases atomic.Int32

const (
	testSigningKey = "a signing key for tests"
	testPassword   = "correct horse"
)

// keyOf returns a key of the engine: a token for a role.
func keyOf(role, id string) string {
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"role": role, "jti": id}).SignedString([]byte(testSigningKey))
	if err != nil {
		panic(err)
	}
	return token
}

// bench is an engine under test, with the events that it reported.
type bench struct {
	*Engine
	t        *testing.T
	database string

	mu     sync.Mutex
	events []Event
}

func start(t *testing.T, set ...func(*Options)) *bench {
	t.Helper()
	b := &bench{t: t, database: fmt.Sprintf("auth_%d", databases.Add(1))}
	must.Do(t, cluster.CreateDatabase(t.Context(), b.database))
	o := Options{
		Settings: Settings{
			DSN: dsn(b.database), SigningKey: testSigningKey, AnonKey: keyOf("anon", "1"), ServiceKey: keyOf("service_role", "1"),
			SiteURL: "https://app.example", RedirectURLs: []string{"https://app.example/**"},
		},
		Address:  "127.0.0.1:0",
		Attempts: -1,
		HashCost: bcrypt.MinCost,
		Notify: func(e Event) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.events = append(b.events, e)
		},
	}
	for _, change := range set {
		change(&o)
	}
	engine := must.Get(Start(t.Context(), o))(t)
	b.Engine = engine
	t.Cleanup(func() {
		must.Report(t, engine.Close())
	})
	return b
}

func (b *bench) told() []Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]Event{}, b.events...)
}

// reply is an answer of the engine.
type reply struct {
	status int
	header http.Header
	body   map[string]any
}

// call sends a request with the anon key, and with a user's token unless token is empty.
func (b *bench) call(method, path, token string, body any) reply {
	b.t.Helper()
	header := map[string]string{"apikey": b.settings.Load().AnonKey}
	if token != "" {
		header["Authorization"] = "Bearer " + token
	}
	return b.send(method, path, header, body)
}

var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (b *bench) send(method, path string, header map[string]string, body any) reply {
	b.t.Helper()
	var sent io.Reader
	if text, isText := body.(string); isText {
		sent = bytes.NewBufferString(text)
	} else if body != nil {
		text := must.Get(json.Marshal(body))(b.t)
		sent = bytes.NewReader(text)
	}
	request := must.Get(http.NewRequest(method, b.URL()+path, sent))(b.t)
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := noRedirects.Do(request)
	must.Do(b.t, err)
	defer response.Body.Close()
	text := must.Get(io.ReadAll(response.Body))(b.t)
	got := reply{status: response.StatusCode, header: response.Header}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &got.body); err != nil {
			b.t.Fatalf("%s %s: got status %d with %q, want JSON", method, path, response.StatusCode, text)
		}
	}
	return got
}

func (r reply) text(name string) string {
	text, _ := r.body[name].(string)
	return text
}

func (b *bench) must(r reply, status int, code string) reply {
	b.t.Helper()
	if r.status != status || r.text("error_code") != code {
		b.t.Fatalf("the answer: got %d %v, want %d %s", r.status, r.body, status, code)
	}
	return r
}

// expected is a reply with the status and the error's code that it must have.
type expected struct {
	got    reply
	status int
	code   string
}

func (b *bench) mustAll(replies ...expected) {
	b.t.Helper()
	for _, e := range replies {
		b.must(e.got, e.status, e.code)
	}
}

func (b *bench) signUp(email string) reply {
	b.t.Helper()
	return b.must(b.call("POST", "/signup", "", map[string]any{"email": email, "password": testPassword}), 200, "")
}

func (b *bench) signIn(email, password string) reply {
	b.t.Helper()
	return b.call("POST", "/token?grant_type=password", "", map[string]any{"email": email, "password": password})
}

func (b *bench) refresh(token string) reply {
	b.t.Helper()
	return b.call("POST", "/token?grant_type=refresh_token", "", map[string]any{"refresh_token": token})
}

// in runs a statement in the engine's database.
func (b *bench) in(sql string, arguments ...any) {
	b.t.Helper()
	connection := must.Get(pgx.Connect(b.t.Context(), dsn(b.database)))(b.t)
	defer connection.Close(context.Background())
	must.Get(connection.Exec(b.t.Context(), sql, arguments...))(b.t)
}

// asService sends a request with the service key.
func (b *bench) asService(method, path string, body any) reply {
	b.t.Helper()
	return b.send(method, path, map[string]string{"apikey": b.settings.Load().ServiceKey}, body)
}

// mail returns the latest mail, which must have been sent to that address.
func (b *bench) mail(to string) Event {
	b.t.Helper()
	for _, e := range slices.Backward(b.told()) {
		if e.Code != "" && e.Email == to {
			return e
		}
	}
	b.t.Fatalf("a mail to %s: got none among %v, want one", to, b.told())
	return Event{}
}

// token returns the token in a mail's link.
func (e Event) token() string {
	link, _ := url.Parse(e.Link)
	return link.Query().Get("token")
}

// follow requests a mail's link and returns the address that it leads to.
func (b *bench) follow(e Event) *url.URL {
	b.t.Helper()
	r := b.must(b.send("GET", strings.TrimPrefix(e.Link, b.URL()), nil, nil), 303, "")
	return must.Get(url.Parse(r.header.Get("Location")))(b.t)
}

// kinds returns the kinds of the reported events in order, without those that only carry a
// mail.
func (b *bench) kinds() []string {
	var kinds []string
	for _, e := range b.told() {
		if e.Kind != "" {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

// user returns the account in the answer to a sign-in.
func (r reply) user() map[string]any {
	user, _ := r.body["user"].(map[string]any)
	return user
}

// claims returns the claims of the access token in an answer.
func (r reply) claims(t *testing.T) map[string]any {
	t.Helper()
	said := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(r.text("access_token"), said); err != nil {
		t.Fatal(err)
	}
	return said
}

// query returns a URL's query with one field.
func query(name, value string) string { return "?" + url.Values{name: {value}}.Encode() }
