package client

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
)

func post(ctx context.Context, c *Client) error {
	_, err := do[object](ctx, c.sender, request{method: http.MethodPost, path: []string{"x"}, body: object{}, key: c.random.key()})
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
		transport := newTransport()
		transport.Proxy = http.ProxyURL(u)
		return transport
	}
	for name, o := range map[string]Options{
		"no service":            {BaseURL: closed.URL + "/api/v1"},
		"no proxy":              {BaseURL: "https://hosting.example/api/v1", Transport: through(closed.URL)},
		"the proxy refuses":     {BaseURL: "https://hosting.example/api/v1", Transport: through(refusing.URL)},
		"no name of that host":  {BaseURL: "https://hosting.invalid/api/v1"},
		"no TLS is spoken here": {BaseURL: strings.Replace(refusing.URL, "http:", "https:", 1) + "/api/v1"},
	} {
		t.Run(name, func(t *testing.T) {
			o.APIKey = "k"
			c, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := post(t.Context(), c); !errors.Is(err, ErrUnreachable) || outcomeUnknown(err) {
				t.Errorf("%v: nothing was sent, so the outcome is known", err)
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
			t.Errorf("%v: %v", row.err, got)
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
			t.Error("the POST carries no Idempotency-Key")
		}
		posts.Add(1)
		io.Copy(io.Discard, r.Body)
		connection, _, _ := w.(http.Hijacker).Hijack()
		connection.Close()
	}))
	defer server.Close()
	c, err := New(Options{BaseURL: server.URL + "/api/v1", APIKey: "k"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Account(t.Context()); err != nil { // opens the connection
		t.Fatal(err)
	}
	if err := post(t.Context(), c); !outcomeUnknown(err) {
		t.Errorf("%v, want an unknown outcome", err)
	}
	if n := posts.Load(); n != 1 {
		t.Errorf("%d POSTs, want 1", n)
	}
}

func TestCancelledReadEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newTestClient(t, says(silent, nil))
		begun := time.Now()
		if _, err := c.Account(within(t, time.Second)); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnreachable) {
			t.Errorf("Account: got error %v, want context.DeadlineExceeded and not ErrUnreachable", err)
		}
		if took := time.Since(begun); took != time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestRequestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, transport := newTestClient(t, says(silent, nil), func(o *Options) { o.RequestTimeout, o.MaxRetries = 5*time.Second, 1 })
		if _, err := c.Account(t.Context()); !errors.Is(err, errRequestTimeout) || !errors.Is(err, ErrUnreachable) {
			t.Errorf("Account: got error %v, want errRequestTimeout and ErrUnreachable", err)
		}
		if n := len(transport.Requests()); n != 2 {
			t.Errorf("%d requests, want 2", n)
		}
	})
}

// A body belongs to its attempt: its time counts, and if it is cut off, the attempt has
// failed like any other.
func TestBodyThatBreaksOff(t *testing.T) {
	whole := says(200, object{"id": "me", "name": "A"})
	for method, sent := range map[string]int{"GET": 3, "PATCH": 3, "DELETE": 3, "POST": 1} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				broken := says(brokenOff, object{"id": "me", "name": "A"})
				c, transport := newTestClient(t, inTurn(broken, broken, whole))
				account, err := do[Account](t.Context(), c.sender, request{method: method, path: []string{"me"}})
				if n := len(transport.Requests()); n != sent {
					t.Errorf("%d requests, want %d", n, sent)
				}
				if sent == 1 && !outcomeUnknown(err) || sent > 1 && (err != nil || account.Name != "A") {
					t.Errorf("%+v, %v", account, err)
				}
			})
		})
	}
	t.Run("a refusal stays one", func(t *testing.T) {
		c, _ := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "900")
			w.WriteHeader(403)
		})
		if _, err := c.Account(t.Context()); !errors.Is(err, ErrForbidden) {
			t.Errorf("Account: got error %v, want ErrForbidden", err)
		}
	})
	t.Run("one that never ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			o := Options{BaseURL: "https://hosting.example/api/v1", APIKey: "k", RequestTimeout: 5 * time.Second}
			o.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
				reader, writer := io.Pipe()
				context.AfterFunc(r.Context(), func() { writer.CloseWithError(r.Context().Err()) })
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: reader}, nil
			})
			c, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			begun := time.Now()
			if _, err := c.Account(t.Context()); !errors.Is(err, errRequestTimeout) || time.Since(begun) != 5*time.Second {
				t.Errorf("%v after %s", err, time.Since(begun))
			}
		})
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestBodiesAreCapped(t *testing.T) {
	c, transport := newTestClient(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Write(bytes.Repeat([]byte(" "), maxBody+1))
	})
	if _, err := c.Account(t.Context()); !errors.Is(err, ErrBodyTooLarge) {
		t.Errorf("Account: got error %v, want ErrBodyTooLarge", err)
	}
	if err := post(t.Context(), c); !errors.Is(err, ErrBodyTooLarge) || !outcomeUnknown(err) {
		t.Errorf("POST: got error %v, want ErrBodyTooLarge with an unknown outcome", err)
	}
	if n := len(transport.Requests()); n != 2 {
		t.Errorf("%d requests, want 2: a second is as large", n)
	}
}

func TestLogOfAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		c, _ := newTestClient(t, inTurn(says(dropped, nil), func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(2 * time.Second)
			w.Header().Set("X-Request-Id", "req-7")
			respond(w, 200, object{"id": "me"})
		}), func(o *Options) {
			o.Log = func(_ context.Context, message string, f map[string]any) {
				lines = append(lines, fmt.Sprint(message, " ", f["method"], " ", f["path"], " ", f["attempt"], " ", f["status"], " ", f["duration_ms"], " ", f["request_id"]))
			}
		})
		if _, err := c.Account(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := "request failed GET /api/v1/me 1 <nil> 0 <nil>; request answered GET /api/v1/me 2 200 2000 req-7"
		if got := strings.Join(lines, "; "); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
}
