package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// streaming is a service that flushes the first part of its answer and then waits.
type streaming struct {
	release chan struct{}
	ended   chan error
}

func (s streaming) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "first ")
	if err := http.NewResponseController(w).Flush(); err != nil {
		s.ended <- err
		return
	}
	select {
	case <-s.release:
		_, err := io.WriteString(w, "second")
		s.ended <- err
	case <-r.Context().Done():
		s.ended <- r.Context().Err()
	}
}

// A flushed part reaches the client before the end of the answer, unless a fault needs the
// whole answer.
func TestFlushedPartIsSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := streaming{make(chan struct{}), make(chan error, 1)}
		g := gateway.New(service, gateway.Options{Prefix: "/api"})
		defer g.Close()
		client := &http.Client{Transport: gateway.Transport{Handler: g}}
		open := func() (http.Header, io.ReadCloser) {
			resp, err := client.Get("http://fake.test/api/stream")
			must.Do(t, err)
			return resp.Header, resp.Body
		}

		header, body := open()
		first := make([]byte, 6)
		if _, err := io.ReadFull(body, first); err != nil || string(first) != "first " {
			t.Fatalf("first part: got %q and %v, want \"first \"", first, err)
		}
		if header.Get("Date") == "" || header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("header: got %v, want a date and the type", header)
		}
		service.release <- struct{}{}
		if rest, err := io.ReadAll(body); err != nil || string(rest) != "second" {
			t.Errorf("rest: got %q and %v, want second", rest, err)
		}
		<-service.ended

		_, body = open()
		_ = body.Close()
		if err := <-service.ended; err == nil {
			t.Error("a client that leaves: got no error for the service, want one")
		}

		// A fault that only delays leaves a stream as it is.
		g.Inject(gateway.Fault{Delay: time.Second})
		_, body = open()
		if _, err := io.ReadFull(body, first); err != nil || string(first) != "first " {
			t.Errorf("first part after a delay: got %q and %v, want \"first \"", first, err)
		}
		service.release <- struct{}{}
		<-service.ended
		_ = body.Close()

		// A fault that alters the answer ends the stream, which would never be whole.
		for name, fault := range map[string]gateway.Fault{"fir": {Truncate: true}, "": {Method: "GET", Page: 504, CommitAfter: time.Second}} {
			g.Inject(fault)
			_, body = open()
			if all, err := io.ReadAll(body); err != nil || name != "" && string(all) != name {
				t.Errorf("%+v: got %q and %v, want %q", fault, all, err, name)
			}
			g.DeliverLate()
			if err := <-service.ended; err == nil {
				t.Errorf("%+v: got no error for the service, want its end", fault)
			}
		}
	})
}

// The service can extend the time in which a request must arrive, as a question to a person
// needs it.
func TestReadDeadlineReachesTheClient(t *testing.T) {
	t.Parallel()
	errs := make(chan error, 1)
	g := gateway.New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		errs <- http.NewResponseController(w).SetReadDeadline(time.Time{})
	}), gateway.Options{Prefix: "/api"})
	defer g.Close()
	server := httptest.NewServer(g)
	defer server.Close()
	for _, fault := range []gateway.Fault{{Delay: time.Nanosecond}, {Truncate: true}} {
		g.Inject(fault)
		resp, err := http.Get(server.URL + "/api/things")
		must.Do(t, err)
		_ = resp.Body.Close()
		if err := <-errs; err != nil {
			t.Errorf("SetReadDeadline with %+v: got %v, want no error", fault, err)
		}
	}
}
