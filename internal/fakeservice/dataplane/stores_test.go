package dataplane_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/redis/go-redis/v9"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	fakeredis "github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// stores returns clients of a machine's Redis and NATS.
func (r *records) stores(p *dataplane.Plane, id string) (*redis.Client, nats.JetStreamContext) {
	r.t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(r.authority.Certificate))
	trust := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	at := p.Endpoints(id)
	trust.ServerName = at.Host
	store := redis.NewClient(&redis.Options{
		Addr: net.JoinHostPort(at.Host, strconv.Itoa(at.RedisPort)), Username: "default", Password: r.credentials(id).Redis, TLSConfig: trust,
	})
	r.t.Cleanup(func() { _ = store.Close() })
	connection := must.Get(nats.Connect("tls://"+net.JoinHostPort(at.Host, strconv.Itoa(at.NATSPort)),
		nats.UserInfo("service", r.credentials(id).NATS), nats.Secure(trust), nats.NoReconnect(), nats.Timeout(machine.Patience)))(r.t)
	r.t.Cleanup(connection.Close)
	streams := must.Get(connection.JetStream(nats.MaxWait(machine.Patience)))(r.t)
	return store, streams
}

// holds checks that a machine's Redis has a key, its NATS a message and its CouchDB a document.
func (r *records) holds(p *dataplane.Plane, id, value string) {
	r.t.Helper()
	store, streams := r.stores(p, id)
	if got, err := store.Get(r.t.Context(), "key").Result(); err != nil || got != value {
		r.t.Errorf("the key of %s: got %q and error %v, want %q", id, got, err, value)
	}
	if message, err := streams.GetLastMsg("orders", "orders.new"); err != nil || string(message.Data) != value {
		r.t.Errorf("the message of %s: got %v and error %v, want %q", id, message, err, value)
	}
	r.couch(p, id).has(value)
}

func (r *records) put(p *dataplane.Plane, id, value string) {
	r.t.Helper()
	store, streams := r.stores(p, id)
	must.Do(r.t, store.Set(r.t.Context(), "key", value, 0).Err())
	must.Get(streams.AddStream(&nats.StreamConfig{Name: "orders", Subjects: []string{"orders.*"}}))(r.t)
	must.Get(streams.Publish("orders.new", []byte(value)))(r.t)
	r.couch(p, id).put(value)
}

// Redis, NATS and CouchDB keep their data and ports when a plane is closed and opened again,
// even if passwords change. Their data can be loaded into a different machine.
func TestStoresAreKept(t *testing.T) {
	t.Parallel()
	needsCouchDB(t)
	all := []string{core.EngineRedis, core.EngineNATS, core.EngineCouchDB}
	folder := keptFolder(t)
	r := newRecords(t)
	p := r.open(folder)
	for _, id := range []string{"i-1", "i-2"} {
		r.machine(id, all...)
		must.Do(t, p.Apply(t.Context(), id))
		r.put(p, id, "first")
	}
	before := p.Endpoints("i-1")
	must.Do(t, p.Close())
	if left := processes.With(t, folder); len(left) != 0 {
		t.Errorf("processes after Close: got %v, want none", left)
	}

	r.rotate("i-1")
	r.remove("i-2")
	p = r.open(folder)
	must.Do(t, p.Resume(t.Context(), []string{"i-1"}))
	if is := p.Endpoints("i-1"); !equalEndpoints(is, before) {
		t.Errorf("endpoints after a restart: got %+v, want %+v", is, before)
	}
	r.holds(p, "i-1", "first")
	for _, engine := range all {
		if left, err := filepath.Glob(filepath.Join(folder, engine, "*")); err != nil || len(left) != 1 {
			t.Errorf("the folders of %s: got %v and error %v, want one", engine, left, err)
		}
	}

	saved := filepath.Join(t.TempDir(), "saved")
	must.Do(t, p.Save(t.Context(), "i-1", saved))
	r.put(p, "i-1", "second")
	r.machine("i-3", all...)
	for _, id := range []string{"i-3", "i-1"} {
		must.Do(t, p.Load(t.Context(), id, saved))
		r.holds(p, id, "first")
	}
}

// storesBox creates an instance with Redis, NATS and CouchDB.
func (f *fake) storesBox() *box {
	f.t.Helper()
	needsCouchDB(f.t)
	if _, err := fakeredis.Locate(f.t.Context()); err != nil {
		machine.Lacks(f.t, "%s", err)
	}
	return f.emptyBox(object{"redis": object{}, "nats": object{}, "couchdb": object{}})
}

// putAll writes a value to each store: a key, a document, and a stream of that name.
func (b *box) putAll(value string) {
	b.t.Helper()
	b.set(b.redis(), "k", value)
	b.couch().put(value)
	b.stream(value, 1)
}

// hasAll checks the value of each store. If it is "", the stores have none, and no stream of
// the name gone.
func (b *box) hasAll(value, gone string) {
	b.t.Helper()
	b.get(b.redis(), "k", value)
	b.couch().has(value)
	if value != "" {
		b.holds(value, 1)
	}
	if gone != "" {
		b.lacks(gone)
	}
}

func TestRotationOfStores(t *testing.T) {
	t.Parallel()
	b := start(t).storesBox()
	b.putAll("kept")
	session, old, held, link, couch := b.redis().Conn(), b.redis(), b.nats(), b.connection().Engines.NATS.URL, b.couch()
	defer session.Close()
	must.Do(t, session.Ping(t.Context()).Err())
	b.done("POST", b.path+"/actions/rotate", object{})
	if err := old.Ping(t.Context()).Err(); err == nil || !strings.HasPrefix(err.Error(), "WRONGPASS") {
		t.Errorf("the old password of Redis: got error %v, want WRONGPASS", err)
	}
	if err := session.Ping(t.Context()).Err(); err == nil {
		t.Error("a session of Redis that began with the old password: got no error, want one")
	}
	if _, err := b.dialNATS(link); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("the old URL of NATS: got error %v, want %v", err, nats.ErrAuthorization)
	}
	machine.Until(t, "the end of a session that came in by the old password", held.IsClosed)
	couch.do("GET", "/db/doc", "", http.StatusUnauthorized)
	b.hasAll("kept", "")
	// Events about streams are still emitted.
	b.stream("later", 0)
	machine.Until(t, "two events", func() bool { return len(b.streamEvents()) == 2 })
}

func TestAllowlistOfStores(t *testing.T) {
	t.Parallel()
	b := start(t).storesBox()
	at := func(address string) *net.Dialer {
		return &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	}
	redisFrom := func(address string) *redis.Client {
		return b.redis(func(o *redis.Options) {
			o.Dialer = (&tls.Dialer{NetDialer: at(address), Config: o.TLSConfig}).DialContext
		})
	}
	refused := func(address string) {
		t.Helper()
		if err := redisFrom(address).Ping(t.Context()).Err(); err == nil {
			t.Errorf("Redis from %s: got no error, want one", address)
		}
		if _, err := b.dialNATS(b.connection().Engines.NATS.URL, nats.SetCustomDialer(at(address))); err == nil {
			t.Errorf("NATS from %s: got no error, want one", address)
		}
		b.couch().from(address).refused("an address outside the allowlist")
	}
	b.done("PUT", b.path+"/allowlist", object{"allowlist": []string{"127.0.0.8"}})
	refused("127.0.0.9")
	inside, held := redisFrom("127.0.0.8"), b.nats(nats.SetCustomDialer(at("127.0.0.8")))
	b.set(inside, "k", "v")
	b.couch().from("127.0.0.8").put("v")
	b.done("PUT", b.path+"/allowlist", object{"allowlist": []string{"127.0.0.9"}})
	if err := inside.Ping(t.Context()).Err(); err == nil {
		t.Error("a session of Redis from an address removed from the allowlist: got no error, want one")
	}
	machine.Until(t, "the end of a session from an address that was taken off the list", held.IsClosed)
	refused("127.0.0.8")
	b.get(redisFrom("127.0.0.9"), "k", "v")
	b.nats(nats.SetCustomDialer(at("127.0.0.9")))
	b.couch().from("127.0.0.9").has("v")
}

func TestBackupsOfStores(t *testing.T) {
	t.Parallel()
	b := start(t).storesBox()
	b.putAll("kept")
	b.Advance(24 * time.Hour)
	daily := b.backups()[0]
	b.putAll("changed")
	b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": daily.ID})
	b.hasAll("kept", "changed")
	b.done("POST", b.path+"/actions/reset", object{"confirm": b.id})
	b.hasAll("", "kept")
	// The undo snapshot contains the data from before the reset.
	b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": b.backups()[0].ID})
	for _, engine := range []string{"redis", "nats", "couchdb"} {
		b.done("POST", b.path+"/engines/"+engine+"/actions/restart", object{})
	}
	b.hasAll("kept", "")
	b.done("POST", b.path+"/actions/reset", object{"confirm": b.id, "engine": "redis"})
	b.get(b.redis(), "k", "")
	b.couch().has("kept")
}

func TestStoresOffAndOn(t *testing.T) {
	t.Parallel()
	folder := stateFolder(t)
	f := start(t, inFolder(folder))
	b := f.storesBox()
	b.putAll("v")
	before, link, couch := b.redis(), b.connection().Engines.NATS.URL, b.couch()
	b.engines(object{})
	// A program may still prepare Postgres.
	running := slices.DeleteFunc(processes.With(t, folder), func(p processes.Process) bool {
		return !strings.Contains(p.Arguments, "redis") && !strings.Contains(p.Arguments, "server.js")
	})
	if len(running) != 0 {
		t.Errorf("processes without the engines: got %v, want none", running)
	}
	for _, engine := range []string{"redis", "nats", "couchdb"} {
		if found, err := filepath.Glob(filepath.Join(folder, "*", engine, "*")); err != nil || len(found) != 0 {
			t.Errorf("files without %s: got %v and error %v, want none", engine, found, err)
		}
	}
	b.engines(object{"redis": object{}, "nats": object{}, "couchdb": object{}})
	if err := before.Ping(t.Context()).Err(); err == nil {
		t.Error("the URL of a removed Redis: got no error, want one")
	}
	if _, err := b.dialNATS(link); err == nil {
		t.Error("the URL of a removed NATS: got no error, want one")
	}
	if status, _, err := couch.try("GET", "/db", ""); err == nil && status != http.StatusUnauthorized {
		t.Errorf("the URL of a removed CouchDB: got %d, want 401 or no answer", status)
	}
	b.hasAll("", "v")
	held := b.nats()
	must.Do(t, f.Close())
	machine.Until(t, "the end of a session", held.IsClosed)
	running = processes.With(t, folder)
	if names := left(t, folder); len(running) != 0 || len(names) != 0 {
		t.Errorf("after Close: got the processes %v and the files %v, want none", running, names)
	}
}
