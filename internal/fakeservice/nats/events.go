package nats

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// Kinds of events.
const (
	StreamCreated = "nats_stream_created"
	StreamPurged  = "nats_stream_purged"
	StreamDeleted = "nats_stream_deleted"
)

// Event is a client's change of a stream. Buckets of keys and of objects are streams too.
type Event struct{ Kind, Stream string }

// listener reports customers' changes of streams.
type listener struct {
	connection   *nats.Conn
	subscription *nats.Subscription
	// created is the creation time of each existing stream. A stream that is requested
	// again without changes keeps its time, so it is not new.
	created map[string]time.Time
}

// listen reports changes of streams from now on.
func (s *Server) listen(running *server.Server) (*listener, error) {
	connection, err := s.connect(running)
	if err != nil {
		return nil, err
	}
	l := &listener{connection: connection, created: map[string]time.Time{}}
	if err := l.begin(s.log, s.notify); err != nil {
		connection.Close()
		return nil, err
	}
	return l, nil
}

func (l *listener) begin(log *slog.Logger, notify func(Event)) error {
	manager, err := jetstream.New(l.connection, jetstream.WithDefaultTimeout(patience))
	if err != nil {
		return err
	}
	streams := manager.ListStreams(context.Background())
	for info := range streams.Info() {
		l.created[info.Config.Name] = info.Created
	}
	if err := streams.Err(); err != nil {
		return err
	}
	l.subscription, err = l.connection.Subscribe(server.JSAdvisoryPrefix+".>", func(m *nats.Msg) {
		defer rescue.Log(log, "tell of a stream")
		if e, created, ok := eventOf(m.Subject, m.Data); ok && l.isNews(e, created) {
			notify(e)
		}
	})
	if err != nil {
		return err
	}
	return l.connection.Flush()
}

// isNews reports whether an event is a change. created is the time at which its stream was
// created, or zero. Only the subscription may call isNews.
func (l *listener) isNews(e Event, created time.Time) bool {
	if e.Kind != StreamCreated || created.IsZero() {
		return true
	}
	before := l.created[e.Stream]
	l.created[e.Stream] = created
	return !created.Equal(before)
}

// hearOut waits until all changes that the server has answered are reported, and stops
// listening. The server answers a request before it publishes the advisory.
func (l *listener) hearOut(running *server.Server) error {
	defer l.connection.Close()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		state, err := running.Jsz(nil)
		if err != nil {
			return err
		}
		if state.API.Inflight == 0 {
			break
		}
		if time.Now().After(deadline) {
			return errors.New("requests to NATS do not end")
		}
	}
	// The server publishes advisories in the order of its answers.
	if _, err := l.connection.Request(server.JSApiAccountInfo, nil, patience); err != nil {
		return err
	}
	told := make(chan struct{})
	l.subscription.SetClosedHandler(func(string) { close(told) })
	if err := l.subscription.Drain(); err != nil {
		return err
	}
	select {
	case <-told:
		return nil
	case <-time.After(patience):
		return errors.New("the handler of stream events does not return")
	}
}

// The subjects of requests that create, purge and delete streams. The server also publishes
// separate advisories of creations and deletions, but not reliably: they may be lost when a
// stream is deleted.
var (
	creations = strings.TrimSuffix(server.JSApiStreamCreate, "*")
	purges    = strings.TrimSuffix(server.JSApiStreamPurge, "*")
	deletions = strings.TrimSuffix(server.JSApiStreamDelete, "*")
)

// eventOf reads the server's advisories: one for each request, and one for the end of a
// restore. For a creation it also returns the time at which the stream was created. Most
// advisories are ignored. Those of two consecutive requests may arrive in any order.
func eventOf(subject string, text []byte) (e Event, created time.Time, ok bool) {
	if stream, restored := strings.CutPrefix(subject, server.JSAdvisoryStreamRestoreCompletePre+"."); restored {
		return Event{StreamCreated, stream}, time.Time{}, true
	}
	var audit server.JSAPIAudit
	var answer struct {
		Error   *server.ApiError `json:"error"`
		Created time.Time        `json:"created"`
	}
	if subject != server.JSAuditAdvisory || json.Unmarshal(text, &audit) != nil ||
		json.Unmarshal([]byte(audit.Response), &answer) != nil || answer.Error != nil {
		return Event{}, time.Time{}, false
	}
	for requests, kind := range map[string]string{creations: StreamCreated, purges: StreamPurged, deletions: StreamDeleted} {
		if stream, ok := strings.CutPrefix(audit.Subject, requests); ok {
			return Event{kind, stream}, answer.Created, true
		}
	}
	return Event{}, time.Time{}, false
}
