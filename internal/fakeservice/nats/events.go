package nats

import (
	"encoding/json"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/rescue"
)

// Kinds of events.
const (
	StreamCreated = "nats_stream_created"
	StreamPurged  = "nats_stream_purged"
	StreamDeleted = "nats_stream_deleted"
)

// Event is what a client did to a stream. Buckets of keys and of objects are streams
// too.
type Event struct{ Kind, Stream string }

// listen passes on what happens to streams from now on.
func (s *Server) listen(running *server.Server) (*nats.Conn, error) {
	connection, err := s.connect(running)
	if err != nil {
		return nil, err
	}
	// One subscription, so that the order stays.
	_, err = connection.Subscribe(server.JSAdvisoryPrefix+".>", func(m *nats.Msg) {
		defer rescue.Log(s.log, "tell of a stream")
		if e, ok := eventOf(m.Subject, m.Data); ok {
			s.notify(e)
		}
	})
	if err == nil {
		err = connection.Flush()
	}
	if err != nil {
		connection.Close()
		return nil, err
	}
	return connection, nil
}

// purgeRequests is where streams are purged. The server tells of it only by what it
// tells of every request.
var purgeRequests = strings.TrimSuffix(server.JSApiStreamPurge, "*")

// eventOf reads what the server tells. Most of it is of no interest.
func eventOf(subject string, text []byte) (Event, bool) {
	if stream, ok := strings.CutPrefix(subject, server.JSAdvisoryStreamCreatedPre+"."); ok {
		return Event{StreamCreated, stream}, true
	}
	if stream, ok := strings.CutPrefix(subject, server.JSAdvisoryStreamDeletedPre+"."); ok {
		return Event{StreamDeleted, stream}, true
	}
	if subject != server.JSAuditAdvisory {
		return Event{}, false
	}
	var audit server.JSAPIAudit
	if err := json.Unmarshal(text, &audit); err != nil {
		return Event{}, false
	}
	stream, ok := strings.CutPrefix(audit.Subject, purgeRequests)
	if !ok {
		return Event{}, false
	}
	var answer server.JSApiStreamPurgeResponse
	if err := json.Unmarshal([]byte(audit.Response), &answer); err != nil || !answer.Success {
		return Event{}, false
	}
	return Event{StreamPurged, stream}, true
}
