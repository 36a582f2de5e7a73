package dataplane_test

import (
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/couchdb"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	fakeredis "github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/redis"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// redisBox creates an instance with only Redis. It skips the test without a redis-server.
func (f *fake) redisBox() *box {
	f.t.Helper()
	if _, err := fakeredis.Locate(f.t.Context()); err != nil {
		machine.Lacks(f.t, "%s", err)
	}
	return f.emptyBox(object{"redis": object{}})
}

// redis returns a client for the connection record's URL, configured like a careful
// application: it trusts only the record's CA.
func (b *box) redis(change ...func(*redis.Options)) *redis.Client {
	b.t.Helper()
	options := must.Get(redis.ParseURL(b.connection().Engines.Redis.URL))(b.t)
	options.TLSConfig.RootCAs = b.roots()
	options.MaxRetries, options.DialerRetries = -1, 1
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout = machine.Patience, machine.Patience, machine.Patience
	for _, change := range change {
		change(options)
	}
	client := redis.NewClient(options)
	b.t.Cleanup(func() { _ = client.Close() })
	return client
}

// set sets a key. get expects a value, or no key if the value is "". A restart ends
// sessions, so tests make a new client after it.
func (b *box) set(client *redis.Client, key, value string) {
	b.t.Helper()
	if err := client.Set(b.t.Context(), key, value, 0).Err(); err != nil {
		b.t.Fatalf("SET %s: %s", key, err)
	}
}

func (b *box) get(client *redis.Client, key, want string) {
	b.t.Helper()
	got, err := client.Get(b.t.Context(), key).Result()
	if got != want || err != nil && !errors.Is(err, redis.Nil) {
		b.t.Errorf("GET %s: got %q and error %v, want %q", key, got, err, want)
	}
}

// pid returns the process id of an engine, or 0.
func (b *box) pid(engine string) int {
	b.t.Helper()
	for _, p := range b.control("/_fake/processes")["processes"].([]any) {
		if p.(object)["engine"] == engine && p.(object)["instance_id"] == b.id {
			return int(p.(object)["pid"].(float64))
		}
	}
	return 0
}

func TestRedisIsReal(t *testing.T) {
	t.Parallel()
	b := start(t).redisBox()
	client := b.redis()
	b.set(client, "k", "v")
	b.get(client, "k", "v")
	_, record := b.call("GET", b.path, nil)
	link, err := url.Parse(b.connection().Engines.Redis.URL)
	if err != nil || link.Scheme != "rediss" {
		t.Fatalf("the URL: got %s and error %v, want one of rediss", link, err)
	}
	if port := record["engines"].(object)["redis"].(object)["port"].(float64); link.Port() != strconv.Itoa(int(port)) {
		t.Errorf("the port of the URL: got %s, want that of the record: %v", link.Port(), port)
	}
	without := b.redis(func(o *redis.Options) { o.TLSConfig = nil })
	if err := without.Ping(t.Context()).Err(); err == nil {
		t.Error("Ping without TLS: got no error, want one")
	}
	stranger := b.redis(func(o *redis.Options) { o.TLSConfig.RootCAs = nil })
	if err := stranger.Ping(t.Context()).Err(); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a client that does not trust the CA: got error %v, want one of the certificate", err)
	}
	anonymous := b.redis(func(o *redis.Options) { o.Username, o.Password = "", "" })
	if err := anonymous.Ping(t.Context()).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOAUTH") {
		t.Errorf("a client without a password: got error %v, want NOAUTH", err)
	}

	before := b.pid("redis")
	b.done("POST", b.path+"/engines/redis/actions/restart", object{})
	if now := b.pid("redis"); before == 0 || now == 0 || now == before {
		t.Errorf("the process: got %d, want one other than 0 and %d", now, before)
	}
	b.get(b.redis(), "k", "v")
}

// A restore that fails midway has replaced the data of some engines. The undo snapshot has
// them, and is listed.
func TestRestoreThatFailsMidwayCanBeUndone(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := keptFolder(t)
	b := start(t, func(o *dataplane.Options) { o.Keep = folder }).redisBox()
	b.engines(object{"redis": object{}, "postgres": object{}})
	b.Advance(24 * time.Hour)
	daily := b.backups()[0]
	b.set(b.redis(), "k", "current")
	must.Do(t, os.Remove(filepath.Join(folder, "backups", b.id, daily.ID, "postgres", "global", "pg_control")))
	if j := b.job("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": daily.ID}); j.Status != "failed" {
		t.Fatalf("a restore from a damaged backup: got a job that is %s, want failed", j.Status)
	}
	b.get(b.redis(), "k", "")
	undo := b.backups()[0]
	if undo.Kind != "undo" {
		t.Fatalf("the newest backup: got kind %q, want undo", undo.Kind)
	}
	b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": undo.ID})
	b.get(b.redis(), "k", "current")
}

// A write over the engine's budget is refused until the budget is raised.
func TestRedisBudget(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.EditCatalog(func(c *fakeservice.Catalog) {
		small := c.Engines["redis"]
		small.FloorMB = 8
		c.Engines["redis"] = small
	})
	b := f.redisBox()
	client := b.redis()
	value := strings.Repeat("x", 1<<20)
	var err error
	for n := 0; n < 16 && err == nil; n++ {
		err = client.Set(t.Context(), strconv.Itoa(n), value, 0).Err()
	}
	if err == nil || !strings.HasPrefix(err.Error(), "OOM") {
		t.Errorf("writes over the budget: got error %v, want OOM", err)
	}
	b.get(client, "0", value)
	b.engines(object{"redis": object{"memory_mb": 64}})
	b.set(client, "more", value)
}

// Without their programs, engines are only records: nothing listens at their URLs.
func TestEnginesThatAreRecords(t *testing.T) {
	t.Parallel()
	f := start(t, func(o *dataplane.Options) { o.Redis, o.CouchDB = fakeredis.Program{}, couchdb.Program{} })
	b := f.emptyBox(object{"redis": object{}, "couchdb": object{}})
	b.done("POST", b.path+"/actions/rotate", object{})
	b.done("POST", b.path+"/actions/reset", object{"confirm": b.id})
	for _, engine := range []string{"redis", "couchdb"} {
		b.done("POST", b.path+"/engines/"+engine+"/actions/restart", object{})
	}
	record := b.connection().Engines
	for link, port := range map[string]string{record.Redis.URL: "6379", record.CouchDB.URL: "6984"} {
		u, err := url.Parse(link)
		if err != nil || u.Port() != port {
			t.Fatalf("the URL: got %s and error %v, want port %s", u, err, port)
		}
		if connection, err := net.Dial("tcp", u.Host); err == nil {
			connection.Close()
			t.Errorf("a connection to %s: got no error, want one", u.Host)
		}
	}
	if found := b.control("/_fake/processes")["processes"].([]any); len(found) != 0 {
		t.Errorf("the processes: got %v, want none", found)
	}
}
