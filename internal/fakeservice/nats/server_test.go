package nats

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/enginelock"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestEventOf(t *testing.T) {
	t.Parallel()
	request := func(subject, response string) string {
		return fmt.Sprintf(`{"subject":%q,"response":%q}`, subject, response)
	}
	for name, row := range map[string]struct {
		subject, text string
		want          Event
	}{
		"created":          {"$JS.EVENT.ADVISORY.API", request("$JS.API.STREAM.CREATE.KV_a", `{"did_create":true}`), Event{StreamCreated, "KV_a"}},
		"restored":         {"$JS.EVENT.ADVISORY.STREAM.RESTORE_COMPLETE.a", "{}", Event{StreamCreated, "a"}},
		"deleted":          {"$JS.EVENT.ADVISORY.API", request("$JS.API.STREAM.DELETE.a", `{"success":true}`), Event{StreamDeleted, "a"}},
		"purged":           {"$JS.EVENT.ADVISORY.API", request("$JS.API.STREAM.PURGE.a", `{"success":true,"purged":3}`), Event{StreamPurged, "a"}},
		"not purged":       {"$JS.EVENT.ADVISORY.API", request("$JS.API.STREAM.PURGE.a", `{"error":{"code":404}}`), Event{}},
		"not created":      {"$JS.EVENT.ADVISORY.API", request("$JS.API.STREAM.CREATE.a", `{"error":{"code":400}}`), Event{}},
		"no answer":        {"$JS.EVENT.ADVISORY.API", request("$JS.API.STREAM.CREATE.a", ""), Event{}},
		"another call":     {"$JS.EVENT.ADVISORY.API", request("$JS.API.STREAM.INFO.a", `{"success":true}`), Event{}},
		"told by a stream": {"$JS.EVENT.ADVISORY.STREAM.DELETED.a", "{}", Event{}},
		"no JSON":          {"$JS.EVENT.ADVISORY.API", "x", Event{}},
		"updated":          {"$JS.EVENT.ADVISORY.STREAM.UPDATED.a", "{}", Event{}},
		"of a consumer":    {"$JS.EVENT.ADVISORY.CONSUMER.CREATED.a.b", "{}", Event{}},
	} {
		if got, _, ok := eventOf(row.subject, []byte(row.text)); got != row.want || ok != (row.want != Event{}) {
			t.Errorf("%s: got %+v and %t, want %+v and %t", name, got, ok, row.want, row.want != Event{})
		}
	}
}

// world is a server's options, with everything that a customer needs.
type world struct {
	Options
	t      *testing.T
	roots  *x509.CertPool
	events chan Event
}

func newWorld(t *testing.T) *world {
	t.Helper()
	issuer := httptest.NewTLSServer(nil)
	t.Cleanup(issuer.Close)
	key := must.Get(x509.MarshalPKCS8PrivateKey(issuer.TLS.Certificates[0].PrivateKey))(t)
	w := &world{t: t, roots: x509.NewCertPool(), events: make(chan Event, 100)}
	w.roots.AddCert(issuer.Certificate())
	w.Options = Options{
		Folder: filepath.Join(t.TempDir(), "n 1"), Host: "127.0.0.1",
		Certificate: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: issuer.Certificate().Raw})),
		Key:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
		Settings:    Settings{Password: "secret", MemoryMB: 64, DiskGB: 1},
		Notify:      func(e Event) { w.events <- e },
	}
	return w
}

func (w *world) open() *Server {
	w.t.Helper()
	s := must.Get(Open(w.t.Context(), w.Options))(w.t)
	w.t.Cleanup(func() { s.Close() })
	return s
}

// customer connects as the customer.
func (w *world) customer(s *Server, options ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	w.t.Helper()
	options = append([]nats.Option{nats.Secure(&tls.Config{RootCAs: w.roots}), nats.NoReconnect()}, options...)
	connection := must.Get(nats.Connect("tls://service:secret@"+s.proxy.Address(), options...))(w.t)
	w.t.Cleanup(connection.Close)
	manager := must.Get(jetstream.New(connection, jetstream.WithDefaultTimeout(machine.Patience)))(w.t)
	return connection, manager
}

// make creates a stream with messages and a consumer that has read one of them.
func (w *world) make(manager jetstream.JetStream, name string, messages int) {
	w.t.Helper()
	ctx := w.t.Context()
	stream := must.Get(manager.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name + ".>"}}))(w.t)
	for n := range messages {
		must.Get(manager.Publish(ctx, name+".x", []byte(fmt.Sprint(n))))(w.t)
	}
	reader := must.Get(stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "reader", AckPolicy: jetstream.AckExplicitPolicy}))(w.t)
	first, err := reader.Next()
	if err == nil {
		err = first.DoubleAck(ctx)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// check reads the next message of the consumer that make created.
func (w *world) check(manager jetstream.JetStream, name string, messages uint64) {
	w.t.Helper()
	stream, err := manager.Stream(w.t.Context(), name)
	if err != nil {
		w.t.Fatalf("the stream %s: %v", name, err)
	}
	if n := stream.CachedInfo().State.Msgs; n != messages {
		w.t.Errorf("messages of the stream %s: got %d, want %d", name, n, messages)
	}
	reader := must.Get(stream.Consumer(w.t.Context(), "reader"))(w.t)
	if m, err := reader.Next(); err != nil || string(m.Data()) != "1" {
		w.t.Errorf("the consumer of %s: got message %v and error %v, want 1", name, m, err)
	}
}

// expect waits for events, which arrive in any order.
func (w *world) expect(want ...Event) {
	w.t.Helper()
	got := map[Event]int{}
	for range want {
		got[w.next()]++
	}
	for _, e := range want {
		if got[e]--; got[e] < 0 {
			w.t.Errorf("the events: got %+v too rarely, want %+v", e, want)
		}
	}
}

// next waits for an event.
func (w *world) next() Event {
	w.t.Helper()
	select {
	case e := <-w.events:
		return e
	case <-time.After(machine.Patience):
		w.t.Fatalf("an event: got none in %s, want one", machine.Patience)
		return Event{}
	}
}

// A folder that is opened again has its streams, and so has a restored backup. Neither
// causes an event.
func TestFolderIsOpenedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	_, manager := w.customer(s)
	w.make(manager, "a", 3)
	w.make(manager, "b", 2)
	must.Get(manager.CreateStream(t.Context(), jetstream.StreamConfig{Name: "m", Storage: jetstream.MemoryStorage}))(t)
	w.expect(Event{StreamCreated, "a"}, Event{StreamCreated, "b"}, Event{StreamCreated, "m"})
	backup := filepath.Join(t.TempDir(), "backup")
	size, err := s.Backup(t.Context(), backup)
	if err != nil || size == 0 {
		t.Fatalf("the backup: got %d bytes and error %v, want more than 0", size, err)
	}
	must.Do(t, s.Close())
	if _, err := s.Backup(t.Context(), backup); !errors.Is(err, enginelock.ErrClosed) {
		t.Errorf("the backup of a closed server: got error %v, want %v", err, enginelock.ErrClosed)
	}
	s = w.open()
	_, manager = w.customer(s)
	w.check(manager, "a", 3)
	must.Do(t, manager.DeleteStream(t.Context(), "b"))
	must.Do(t, s.Restore(t.Context(), backup))
	_, manager = w.customer(s)
	w.check(manager, "a", 3)
	w.check(manager, "b", 2)
	if err := s.Restore(t.Context(), filepath.Join(backup, "nothing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the restore of a missing folder: got error %v, want %v", err, os.ErrNotExist)
	}
	must.Do(t, s.Reset(t.Context()))
	_, manager = w.customer(s)
	w.make(manager, "a", 2)
	w.expect(Event{StreamDeleted, "b"}, Event{StreamCreated, "a"})
	must.Do(t, s.Remove())
	if _, err := os.Stat(w.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder after Remove: got error %v, want that it does not exist", err)
	}
}

// Changes right before the server stops are reported, exactly once.
func TestWhatWasDoneBeforeAStopIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	for n := range 30 {
		_, manager := w.customer(s)
		name := fmt.Sprint("s", n)
		for range 2 { // the second changes nothing
			must.Get(manager.CreateStream(t.Context(), jetstream.StreamConfig{Name: name}))(t)
		}
		stream, err := manager.Stream(t.Context(), name)
		if err == nil {
			err = stream.Purge(t.Context())
		}
		if err == nil {
			err = manager.DeleteStream(t.Context(), name)
		}
		if err == nil {
			err = s.Restart(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		w.expect(Event{StreamCreated, name}, Event{StreamPurged, name}, Event{StreamDeleted, name})
	}
	must.Do(t, s.Close())
	if n := len(w.events); n != 0 {
		t.Errorf("further events: got %d, the first %v, want none", n, <-w.events)
	}
}

// After the deletion of a stream, a NATS server removes the empty folders around it in the
// background, and may do so while the next one starts.
func TestStartBesideARemovalOfEmptyFolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	done := make(chan struct{})
	var removals sync.WaitGroup
	removals.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				os.Remove(filepath.Join(s.accountFolder(), "streams"))
				os.Remove(s.accountFolder())
			}
		}
	})
	for range 20 {
		if err := s.Restart(t.Context()); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	removals.Wait()
}

// A stream that exceeds one piece of its archive is restored completely.
func TestLargeStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	_, manager := w.customer(s)
	w.make(manager, "a", 2)
	noise := make([]byte, 64<<10)
	for n := range noise {
		noise[n] = byte(n * n >> 3)
	}
	for n := range 40 {
		noise[0] = byte(n)
		must.Get(manager.Publish(t.Context(), "a.large", noise))(t)
	}
	backup := filepath.Join(t.TempDir(), "backup")
	must.Get(s.Backup(t.Context(), backup))(t)
	must.Do(t, errors.Join(s.Reset(t.Context()), s.Restore(t.Context(), backup)))
	_, manager = w.customer(s)
	w.check(manager, "a", 42)
	stream := must.Get(manager.Stream(t.Context(), "a"))(t)
	if last, err := stream.GetLastMsgForSubject(t.Context(), "a.large"); err != nil || !slices.Equal(last.Data, noise) {
		t.Errorf("the last message: got other data or error %v, want the published data", err)
	}
}

// The customer cannot publish advisories in the server's place, and sees neither the
// package's connection nor the messages to it.
func TestCustomerIsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.open()
	refused := make(chan error, 10)
	connection, manager := w.customer(s, nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	everything := must.Get(connection.SubscribeSync(">"))(t)
	for _, subject := range []string{"$JS.EVENT.ADVISORY.STREAM.DELETED.a", "$SYS.REQ.ACCOUNT.PING.CONNZ", ownSubjects + ".x"} {
		must.Do(t, connection.Publish(subject, []byte("{}")))
		select {
		case err := <-refused:
			if !errors.Is(err, nats.ErrPermissionViolation) {
				t.Errorf("publishing to %s: got error %v, want %v", subject, err, nats.ErrPermissionViolation)
			}
		case <-time.After(machine.Patience):
			t.Fatalf("publishing to %s: got no refusal in %s, want one", subject, machine.Patience)
		}
	}
	w.make(manager, "a", 2)
	w.expect(Event{StreamCreated, "a"})
	must.Get(s.Backup(t.Context(), filepath.Join(t.TempDir(), "backup")))(t)
	must.Do(t, connection.Publish("the.end", nil))
	for {
		m := must.Get(everything.NextMsgWithContext(t.Context()))(t)
		if m.Subject == "the.end" {
			break
		}
		if strings.HasPrefix(m.Subject, ownSubjects) {
			t.Errorf("the customer's messages: got one of %s, want none of the server's own subjects", m.Subject)
		}
	}
}

// A server that cannot start returns the reason, and does not end the program.
func TestServerThatCannotStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must.Do(t, errors.Join(os.MkdirAll(w.Folder, 0o700), os.WriteFile(filepath.Join(w.Folder, "data"), nil, 0o600)))
	if _, err := Open(t.Context(), w.Options); err == nil || !strings.Contains(err.Error(), "start NATS: ") {
		t.Errorf("Open: got error %v, want one with \"start NATS: \"", err)
	}
}
