package dataplane_test

import (
	"crypto/tls"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// natsBox creates an instance with only NATS.
func (f *fake) natsBox() *box {
	f.t.Helper()
	return f.emptyBox(object{"nats": object{}})
}

// dialNATS connects to a URL as a careful application does: it trusts only the record's
// CA.
func (b *box) dialNATS(link string, options ...nats.Option) (*nats.Conn, error) {
	b.t.Helper()
	options = append([]nats.Option{
		nats.Secure(&tls.Config{RootCAs: b.roots(), MinVersion: tls.VersionTLS12}), nats.NoReconnect(), nats.Timeout(machine.Patience),
	}, options...)
	connection, err := nats.Connect(link, options...)
	if err == nil {
		b.t.Cleanup(connection.Close)
	}
	return connection, err
}

// nats connects with the record's URL.
func (b *box) nats(options ...nats.Option) *nats.Conn {
	b.t.Helper()
	return must.Get(b.dialNATS(b.connection().Engines.NATS.URL, options...))(b.t)
}

func (b *box) streams() jetstream.JetStream {
	b.t.Helper()
	return must.Get(jetstream.New(b.nats(), jetstream.WithDefaultTimeout(machine.Patience)))(b.t)
}

// stream creates a stream with the given number of messages.
func (b *box) stream(name string, messages int) {
	b.t.Helper()
	manager := b.streams()
	must.Get(manager.CreateStream(b.t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name}}))(b.t)
	for range messages {
		must.Get(manager.Publish(b.t.Context(), name, []byte("text")))(b.t)
	}
}

// holds checks that a stream has the given number of messages.
func (b *box) holds(name string, messages uint64) {
	b.t.Helper()
	stream, err := b.streams().Stream(b.t.Context(), name)
	if err != nil {
		b.t.Errorf("the stream %s: %s", name, err)
		return
	}
	if n := stream.CachedInfo().State.Msgs; n != messages {
		b.t.Errorf("messages of the stream %s: got %d, want %d", name, n, messages)
	}
}

func (b *box) lacks(name string) {
	b.t.Helper()
	if _, err := b.streams().Stream(b.t.Context(), name); !errors.Is(err, jetstream.ErrStreamNotFound) {
		b.t.Errorf("the stream %s: got error %v, want %v", name, err, jetstream.ErrStreamNotFound)
	}
}

// streamEvents returns the events about streams, such as "nats_stream_created orders".
func (b *box) streamEvents() []string {
	var events []string
	for _, e := range b.Events() {
		if stream, ok := e.Data["stream"].(string); ok && e.InstanceID == b.id {
			events = append(events, e.Type+" "+stream)
		}
	}
	return events
}

func TestNATSIsReal(t *testing.T) {
	t.Parallel()
	b := start(t).natsBox()
	link, err := url.Parse(b.connection().Engines.NATS.URL)
	if err != nil || link.Scheme != "tls" {
		t.Fatalf("the URL: got %s and error %v, want one of tls", link, err)
	}
	_, record := b.call("GET", b.path, nil)
	if port := record["engines"].(object)["nats"].(object)["port"].(float64); link.Port() != strconv.Itoa(int(port)) {
		t.Errorf("the port of the URL: got %s, want that of the record: %v", link.Port(), port)
	}
	hears, speaks := b.nats(), b.nats()
	words, err := hears.SubscribeSync("words.>")
	if err == nil {
		err = hears.Flush()
	}
	if err == nil {
		err = speaks.Publish("words.first", []byte("hello"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if m, err := words.NextMsgWithContext(t.Context()); err != nil || string(m.Data) != "hello" {
		t.Errorf("the message: got %v and error %v, want hello", m, err)
	}
	var wrong *tls.CertificateVerificationError
	if _, err := b.dialNATS(link.String(), nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12})); !errors.As(err, &wrong) {
		t.Errorf("a client that does not trust the CA: got error %v, want one of the certificate", err)
	}
	link.User = nil
	if _, err := b.dialNATS(link.String()); !errors.Is(err, nats.ErrAuthorization) {
		t.Errorf("a client without a password: got error %v, want %v", err, nats.ErrAuthorization)
	}
	b.stream("orders", 3)
	b.done("POST", b.path+"/engines/nats/actions/restart", object{})
	if !hears.IsClosed() {
		machine.Until(t, "the end of a session", hears.IsClosed)
	}
	b.holds("orders", 3)
}

// Changes of streams by clients are emitted as events, in order. Those by the fake are
// not.
func TestNATSEvents(t *testing.T) {
	t.Parallel()
	b := start(t).natsBox()
	b.stream("orders", 2)
	b.Advance(24 * time.Hour)
	manager := b.streams()
	stream, err := manager.Stream(t.Context(), "orders")
	if err == nil {
		err = stream.Purge(t.Context())
	}
	if err == nil {
		err = manager.DeleteStream(t.Context(), "orders")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := manager.DeleteStream(t.Context(), "orders"); err == nil {
		t.Error("the second deletion of a stream: got no error, want one")
	}
	want := []string{"nats_stream_created orders", "nats_stream_purged orders", "nats_stream_deleted orders"}
	machine.Until(t, "three events", func() bool { return len(b.streamEvents()) >= len(want) })
	b.done("POST", b.path+"/actions/restore", object{"confirm": b.id, "backup_id": b.backups()[0].ID})
	b.holds("orders", 2)
	b.done("POST", b.path+"/engines/nats/actions/restart", object{})
	b.done("POST", b.path+"/actions/reset", object{"confirm": b.id, "engine": "nats"})
	b.stream("last", 0)
	want = append(want, "nats_stream_created last")
	machine.Until(t, "one more event", func() bool { return len(b.streamEvents()) >= len(want) })
	if got := b.streamEvents(); !slices.Equal(got, want) {
		t.Errorf("the events: got %q, want %q", got, want)
	}
}

// The budget limits streams in memory, and the plan's disk limits streams in files.
func TestNATSBudget(t *testing.T) {
	t.Parallel()
	b := start(t).natsBox()
	large := jetstream.StreamConfig{Name: "large", Storage: jetstream.MemoryStorage, MaxBytes: 100 << 20}
	if _, err := b.streams().CreateStream(t.Context(), large); err == nil {
		t.Error("a stream over the budget: got no error, want one")
	}
	huge := jetstream.StreamConfig{Name: "huge", MaxBytes: 11 << 30}
	if _, err := b.streams().CreateStream(t.Context(), huge); err == nil {
		t.Error("a stream over the plan's disk: got no error, want one")
	}
	b.stream("orders", 1)
	b.engines(object{"nats": object{"memory_mb": 128}})
	if _, err := b.streams().CreateStream(t.Context(), large); err != nil {
		t.Errorf("a stream within the budget: got error %v, want none", err)
	}
	b.engines(object{"nats": object{}})
	b.holds("orders", 1)
}
