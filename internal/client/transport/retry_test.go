package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestRetriesByMethod(t *testing.T) {
	const (
		all  = 4  // the first and three retries
		long = 99 // until no request has succeeded for two minutes
	)
	const service, foreign = "x", ""
	rows := []struct {
		status                        int
		code                          string
		get, put, patch, remove, post int
	}{
		{429, service, long, long, long, long, long},
		{429, foreign, long, long, long, long, long},
		{500, service, all, 1, 1, 1, 1},
		{502, foreign, all, all, all, all, 1},
		{503, foreign, all, all, all, all, 1},
		{503, "unavailable", all, all, all, all, all},
		{504, foreign, all, all, all, all, 1},
		{520, foreign, all, all, all, all, 1},
		{522, foreign, all, all, all, all, 1},
		{524, foreign, all, all, all, all, 1},
		{525, foreign, 1, 1, 1, 1, 1},
		{404, foreign, all, all, all, all, 1},
		{410, foreign, all, all, all, all, 1},
		{404, "no_such_route", 1, 1, 1, 1, 1},
		{dropped, "", all, all, all, all, 1},
		{refused, "", all, all, all, all, all},
		{400, service, 1, 1, 1, 1, 1},
		{401, service, 1, 1, 1, 1, 1},
		{403, foreign, 1, 1, 1, 1, 1},
		{302, foreign, 1, 1, 1, 1, 1},
	}
	for _, row := range rows {
		for method, sent := range map[string]int{"GET": row.get, "PUT": row.put, "PATCH": row.patch, "DELETE": row.remove, "POST": row.post} {
			inBubble(t, fmt.Sprint(row.status, row.code, method), func(t *testing.T) {
				c, transport := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
					if row.code == foreign {
						gatewayPage(w, row.status)
						return
					}
					refuse(w, row.status, row.code)
				})
				begun := time.Now()
				if _, err := Do[object](t.Context(), c, Request{Method: method, Path: []string{"x"}}); err == nil {
					t.Errorf("%s: got no error, want one", method)
				}
				n := len(transport.Requests())
				if sent != long && n != sent {
					t.Errorf("requests: got %d, want %d", n, sent)
				}
				if took := time.Since(begun); sent == long && (took < stallTime || took > stallTime+longestClosing+time.Second || n > 25) {
					t.Errorf("the attempts: got %d requests in %s, want at most 25 in %s to %s", n, took, stallTime, stallTime+longestClosing+time.Second)
				}
			})
		}
	}
}

// A redirect whose address cannot be parsed is still an answer.
func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, location := range []string{"https://elsewhere.example/", "://", ""} {
		c, transport := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", location)
			w.WriteHeader(307)
		})
		if err := post(t.Context(), c); !OutcomeUnknown(err) || !errors.Is(err, ErrForeign) {
			t.Errorf("POST redirected to %q: got error %v, want ErrForeign with an unknown outcome", location, err)
		}
		if n := len(transport.Requests()); n != 1 {
			t.Errorf("POST redirected to %q: got %d requests, want 1", location, n)
		}
	}
}

// A later refusal means different things depending on whether an answer was lost.
func TestUnsureAfterALostAnswer(t *testing.T) {
	done := says(202, object{"job_id": "j"})
	for name, row := range map[string]struct {
		first  http.HandlerFunc
		unsure bool
	}{
		"dropped":       {says(dropped, nil), true},
		"502":           {gateway(502), true},
		"foreign 404":   {gateway(404), true},
		"no connection": {says(refused, nil), false},
		"unavailable":   {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 503, "unavailable") }, false},
		"rate limited":  {func(w http.ResponseWriter, _ *http.Request) { refuse(w, 429, "rate_limited") }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := newTestSender(t, inTurn(row.first, done))
			call, err := c.Send(t.Context(), Request{Method: "PUT", Path: []string{"x"}})
			unsure := call.Unsure
			if err != nil || unsure != row.unsure {
				t.Errorf("%s: got unsure %v and error %v, want %v and none", name, unsure, err, row.unsure)
			}
		})
	}
}

// If a service asks for a longer wait than the caller's deadline allows, the call ends at
// the deadline and not after the wait.
func TestRetryAfterYieldsToADeadline(t *testing.T) {
	for _, status := range []int{429, 503} {
		synctest.Test(t, func(t *testing.T) {
			c, transport := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "86400")
				refuse(w, status, "unavailable")
			})
			begun := time.Now()
			err := post(within(t, 3*time.Second), c)
			if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took != 3*time.Second || len(transport.Times()) != 1 {
				t.Errorf("%d: got error %v after %d requests in %s, want context.DeadlineExceeded after one in 3s", status, err, len(transport.Times()), took)
			}
		})
	}
}

// A request that can be sent twice is sent again if its answer is cut off but seems
// complete. It is retried as often as after a gateway's page. A POST is not retried.
func TestCutAnswerIsAskedForAgain(t *testing.T) {
	for _, row := range []struct {
		method, answer string
		cut, sent      int // the number of cut answers, and of requests
		fails          bool
	}{
		{http.MethodGet, `{"name":"on`, 2, 3, false},
		{http.MethodGet, `{"list":[{"id":"a"}`, 2, 3, false},
		{http.MethodGet, `{"id": "another", "name": "another"`, 99, 4, true},
		{http.MethodGet, `<p>`, 2, 1, true},
		{http.MethodPut, `{"name":"on`, 2, 3, false},
		{http.MethodPatch, `{"name":"on`, 2, 3, false},
		{http.MethodDelete, `{"name":"on`, 99, 4, true},
		{http.MethodPost, `{"name":"on`, 2, 1, true},
	} {
		inBubble(t, row.method+row.answer, func(t *testing.T) {
			sent := 0
			c, _ := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
				if sent++; sent <= row.cut {
					_, _ = w.Write([]byte(row.answer))
					return
				}
				_, _ = w.Write([]byte(`{}`))
			})
			_, err := Do[object](t.Context(), c, Request{Method: row.method, Path: []string{"x"}})
			if sent != row.sent || (err != nil) != row.fails || err != nil && !errors.Is(err, ErrForeign) {
				t.Errorf("the request: got %d attempts and error %v, want %d attempts and an error: %t", sent, err, row.sent, row.fails)
			}
		})
	}
}

// The error of a redirect has only the scheme and the host that it leads to.
func TestRedirectToAnotherHost(t *testing.T) {
	for location, want := range map[string]string{
		"https://www.hosting.example/api/v1/x?token=secret": "https://www.hosting.example",
		"http://hosting.example/api/v1/x":                   "http://hosting.example",
		"//www.hosting.example/x":                           "https://www.hosting.example",
		"https://user:secret@www.hosting.example/":          "https://www.hosting.example",
		"/api/v2/x":                         "",
		"https://hosting.example/api/v1/x/": "",
		"://":                               "", "": "",
	} {
		for _, status := range []int{301, 302, 307, 308} {
			c, _ := newTestSender(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", location)
				w.WriteHeader(status)
			})
			_, err := Do[object](t.Context(), c, Request{Method: http.MethodGet, Path: []string{"x"}})
			refused := (*APIError)(nil)
			if !errors.As(err, &refused) || refused.RedirectsTo != want {
				t.Errorf("%d to %q: got %+v, want a redirect to %q", status, location, refused, want)
			}
		}
	}
}
