package gateway_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
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
			if err != nil {
				t.Fatal(err)
			}
			return resp.Header, resp.Body
		}

		header, body := open()
		first := make([]byte, 6)
		if _, err := io.ReadFull(body, first); err != nil || string(first) != "first " {
			t.Fatalf("first part: got %q and %v", first, err)
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

		g.Inject(gateway.Fault{Truncate: true})
		go func() {
			synctest.Wait()
			service.release <- struct{}{}
		}()
		_, body = open()
		if all, err := io.ReadAll(body); err != nil || string(all) != "first " {
			t.Errorf("a cut answer: got %q and %v, want the first half", all, err)
		}
		<-service.ended
	})
}
