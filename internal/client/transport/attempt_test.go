package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/lifetime"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func post(ctx context.Context, c *Sender) error {
	_, err := Do[object](ctx, c, Request{Method: http.MethodPost, Path: []string{"x"}, Body: object{}, Key: "a-key"})
	return err
}

// Without a connection to the service or to a proxy, nothing can have been sent.
func TestWithoutAConnectionNothingWasSent(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }))
	defer refusing.Close()
	through := func(proxy string) http.RoundTripper {
		u, _ := url.Parse(proxy)
		transport := NewTransport()
		transport.Proxy = http.ProxyURL(u)
		return transport
	}
	for name, o := range map[string]struct {
		base    string
		through http.RoundTripper
	}{
		"no service":            {closed.URL, nil},
		"no proxy":              {"https://hosting.example", through(closed.URL)},
		"the proxy refuses":     {"https://hosting.example", through(refusing.URL)},
		"no name of that host":  {"https://hosting.invalid", nil},
		"no TLS is spoken here": {strings.Replace(refusing.URL, "http:", "https:", 1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := newTestSender(t, nil, at(o.base+"/api/v1"), func(s *Options) { s.RoundTripper, s.MaxRetries = o.through, 0 })
			if err := post(t.Context(), c); !errors.Is(err, ErrUnreachable) || OutcomeUnknown(err) {
				t.Errorf("POST: got error %v, want ErrUnreachable with a known outcome, as nothing was sent", err)
			}
		})
	}
}

func TestNothingSent(t *testing.T) {
	broken := errors.New("broken")
	for _, row := range []struct {
		err  error
		want bool
	}{
		{&net.OpError{Op: "dial", Err: broken}, true},
		{&net.OpError{Op: "proxyconnect", Err: broken}, true},
		{fmt.Errorf("wrapped: %w", &net.OpError{Op: "dial", Err: broken}), true},
		{&notSentError{broken}, true},
		{&net.OpError{Op: "read", Err: broken}, false},
		{&net.OpError{Op: "write", Err: broken}, false},
		{io.ErrUnexpectedEOF, false},
		{context.Canceled, false},
		{nil, false},
	} {
		if got := nothingSent(row.err); got != row.want {
			t.Errorf("nothingSent(%v) = %v, want %v", row.err, got, row.want)
		}
	}
}

// If a reused connection breaks, net/http itself repeats a POST with an Idempotency-Key,
// unless the header is hidden from net/http.
func TestBrokenReusedConnectionDoesNotRepeatAPOST(t *testing.T) {
	var posts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			respond(w, 200, object{"id": "me"})
			return
		}
		if r.Header.Get("Idempotency-Key") == "" {
			t.Error("the POST: got no Idempotency-Key, want one")
		}
		posts.Add(1)
		io.Copy(io.Discard, r.Body)
		connection, _, _ := w.(http.Hijacker).Hijack()
		connection.Close()
	}))
	defer server.Close()
	c, _ := newTestSender(t, nil, at(server.URL+"/api/v1"), func(o *Options) { o.RoundTripper, o.MaxRetries = nil, 0 })
	if err := readMe(t.Context(), c); err != nil { // opens the connection
		t.Fatal(err)
	}
	if err := post(t.Context(), c); !OutcomeUnknown(err) {
		t.Errorf("POST: got error %v, want an unknown outcome", err)
	}
	if n := posts.Load(); n != 1 {
		t.Errorf("POSTs: got %d, want 1", n)
	}
}

func TestCancelledReadEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestSender(t, says(silent, nil))
		begun := time.Now()
		if err := readMe(within(t, time.Second), c); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnreachable) {
			t.Errorf("GET: got error %v, want context.DeadlineExceeded and not ErrUnreachable", err)
		}
		if took := time.Since(begun); took != time.Second {
			t.Errorf("GET: got an end after %s, want one after 1s", took)
		}
		ctx, cancel := lifetime.WithTimeout(t.Context(), "read", time.Second)
		defer cancel()
		if err := readMe(ctx, c); !errors.As(err, new(*lifetime.TimeoutError)) {
			t.Errorf("GET with a timeout: got error %v, want a *TimeoutError", err)
		}
	})
}

func TestRequestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestSender(t, says(silent, nil), func(o *Options) { o.RequestTimeout, o.MaxRetries = 5*time.Second, 1 })
		if err := readMe(t.Context(), c); !errors.Is(err, errRequestTimeout) || !errors.Is(err, ErrUnreachable) {
			t.Errorf("GET: got error %v, want errRequestTimeout and ErrUnreachable", err)
		}
		if n := len(transport.Requests()); n != 2 {
			t.Errorf("requests: got %d, want 2", n)
		}
	})
}

// A body belongs to its attempt: its time counts, and if it is cut off, the attempt has
// failed like any other.
func TestBodyThatBreaksOff(t *testing.T) {
	whole := says(200, object{"id": "me", "name": "A"})
	for method, sent := range map[string]int{"GET": 3, "PATCH": 3, "DELETE": 3, "POST": 1} {
		inBubble(t, method, func(t *testing.T) {
			broken := says(brokenOff, object{"id": "me", "name": "A"})
			c, transport := newTestSender(t, inTurn(broken, broken, whole))
			account, err := Do[object](t.Context(), c, Request{Method: method, Path: []string{"me"}})
			if n := len(transport.Requests()); n != sent {
				t.Errorf("requests: got %d, want %d", n, sent)
			}
			if sent == 1 && !OutcomeUnknown(err) || sent > 1 && (err != nil || account["name"] != "A") {
				t.Errorf("%s: got %v and error %v, want the name A if it may be repeated, and otherwise an unknown outcome", method, account, err)
			}
		})
	}
	t.Run("a refusal stays one", func(t *testing.T) {
		c, _ := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "900")
			w.WriteHeader(403)
		})
		if err := readMe(t.Context(), c); !errors.Is(err, errForbidden) {
			t.Errorf("GET: got error %v, want errForbidden", err)
		}
	})
	inBubble(t, "one that never ends", func(t *testing.T) {
		endless := roundTripper(func(r *http.Request) (*http.Response, error) {
			reader, writer := io.Pipe()
			context.AfterFunc(r.Context(), func() { writer.CloseWithError(r.Context().Err()) })
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: reader}, nil
		})
		c, _ := newTestSender(t, nil, func(o *Options) {
			o.RoundTripper, o.RequestTimeout, o.MaxRetries = endless, 5*time.Second, 0
		})
		begun := time.Now()
		if err := readMe(t.Context(), c); !errors.Is(err, errRequestTimeout) || time.Since(begun) != 5*time.Second {
			t.Errorf("GET: got error %v after %s, want errRequestTimeout after 5s", err, time.Since(begun))
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestBodiesAreCapped(t *testing.T) {
	c, transport := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Write(bytes.Repeat([]byte(" "), maxBody+1))
	})
	if err := readMe(t.Context(), c); !errors.Is(err, ErrBodyTooLarge) {
		t.Errorf("GET: got error %v, want ErrBodyTooLarge", err)
	}
	if err := post(t.Context(), c); !errors.Is(err, ErrBodyTooLarge) || !OutcomeUnknown(err) {
		t.Errorf("POST: got error %v, want ErrBodyTooLarge with an unknown outcome", err)
	}
	if n := len(transport.Requests()); n != 2 {
		t.Errorf("requests: got %d, want 2: a second is as large", n)
	}
}

func TestLogOfAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		c, _ := newTestSender(t, inTurn(says(dropped, nil), func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(2 * time.Second)
			w.Header().Set("X-Request-Id", "req-7")
			respond(w, 200, object{"id": "me"})
		}), func(o *Options) {
			o.Log = func(_ context.Context, message string, f map[string]any) {
				lines = append(lines, fmt.Sprint(message, " ", f["method"], " ", f["path"], " ", f["attempt"], " ", f["status"], " ", f["duration_ms"], " ", f["request_id"]))
			}
		})
		must.Do(t, readMe(t.Context(), c))
		want := "request failed GET /api/v1/me 1 <nil> 0 <nil>; request answered GET /api/v1/me 2 200 2000 req-7"
		if got := strings.Join(lines, "; "); got != want {
			t.Errorf("the log: got\n%s\nwant\n%s", got, want)
		}
	})
}

// Long-running statements do not count as requests in flight, so that other requests can
// continue.
func TestStatementsLeaveRoomForOtherRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestSender(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				time.Sleep(10 * time.Minute)
				respond(w, 200, object{"rows": []any{}})
				return
			}
			respond(w, 200, object{"id": "me"})
		})
		limiterOf(c).places = semaphore.NewWeighted(1)
		ran := make(chan error, 1)
		go func() {
			ran <- second(Do[object](t.Context(), c, Request{Method: http.MethodPost, Path: []string{"x"}, Statement: true}))
		}()
		synctest.Wait()
		begun := time.Now()
		if err := readMe(t.Context(), c); err != nil || time.Since(begun) > time.Second {
			t.Errorf("GET: got error %v after %s, want none within 1s", err, time.Since(begun))
		}
		must.Report(t, <-ran)
	})
}
