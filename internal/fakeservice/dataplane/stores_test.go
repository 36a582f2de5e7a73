package dataplane_test

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/redis/go-redis/v9"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
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

// holds checks that a machine's Redis has a key and its NATS a message.
func (r *records) holds(p *dataplane.Plane, id, value string) {
	r.t.Helper()
	store, streams := r.stores(p, id)
	if got, err := store.Get(r.t.Context(), "key").Result(); err != nil || got != value {
		r.t.Errorf("the key of %s: got %q and error %v, want %q", id, got, err, value)
	}
	if message, err := streams.GetLastMsg("orders", "orders.new"); err != nil || string(message.Data) != value {
		r.t.Errorf("the message of %s: got %v and error %v, want %q", id, message, err, value)
	}
}

func (r *records) put(p *dataplane.Plane, id, value string) {
	r.t.Helper()
	store, streams := r.stores(p, id)
	must.Do(r.t, store.Set(r.t.Context(), "key", value, 0).Err())
	must.Get(streams.AddStream(&nats.StreamConfig{Name: "orders", Subjects: []string{"orders.*"}}))(r.t)
	must.Get(streams.Publish("orders.new", []byte(value)))(r.t)
}

// Redis and NATS keep their data and ports when a plane is closed and opened again, even
// if passwords change. Their data can be loaded into a different machine.
func TestStoresAreKept(t *testing.T) {
	t.Parallel()
	folder := keptFolder(t)
	r := newRecords(t)
	p := r.open(folder)
	for _, id := range []string{"i-1", "i-2"} {
		r.machine(id, core.EngineRedis, core.EngineNATS)
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
	for _, engine := range []string{core.EngineRedis, core.EngineNATS} {
		if left, err := filepath.Glob(filepath.Join(folder, engine, "*")); err != nil || len(left) != 1 {
			t.Errorf("the folders of %s: got %v and error %v, want one", engine, left, err)
		}
	}

	saved := filepath.Join(t.TempDir(), "saved")
	must.Do(t, p.Save(t.Context(), "i-1", saved))
	r.put(p, "i-1", "second")
	r.machine("i-3", core.EngineRedis, core.EngineNATS)
	for _, id := range []string{"i-3", "i-1"} {
		must.Do(t, p.Load(t.Context(), id, saved))
		r.holds(p, id, "first")
	}
}
