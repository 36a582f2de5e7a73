package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// shelf keeps messages in memory, or fails.
type shelf struct {
	kept []entry
	err  error
}

func (s *shelf) latest(context.Context, int) ([]entry, error) { return s.kept, s.err }

func (s *shelf) add(_ context.Context, who visitor, message string) (entry, error) {
	if s.err != nil {
		return entry{}, s.err
	}
	s.kept = append([]entry{{ID: int64(len(s.kept) + 1), Author: who.name(), Message: message, At: time.Now()}}, s.kept...)
	return s.kept[0], nil
}

// start serves a guestbook whose auth engine knows one token.
func start(t *testing.T) (*httptest.Server, *shelf, *guestbook) {
	t.Helper()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != "/auth/v1/user" || r.Header.Get("apikey") != "anon":
			w.WriteHeader(http.StatusInternalServerError)
		case r.Header.Get("Authorization") != "Bearer good":
			w.WriteHeader(http.StatusForbidden)
		default:
			io.WriteString(w, `{"id": "7f3c", "email": "ada@example.test"}`)
		}
	}))
	t.Cleanup(engine.Close)
	kept := &shelf{}
	book := &guestbook{
		entries: kept,
		visits:  &counter{file: filepath.Join(t.TempDir(), "visits")},
		auth:    &authEngine{url: engine.URL + "/auth/v1", anonKey: "anon", client: engine.Client()},
	}
	server := httptest.NewServer(book.routes())
	t.Cleanup(server.Close)
	return server, kept, book
}

func send(t *testing.T, method, url, body string, header map[string]string) (int, string, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

var signedIn = map[string]string{"Authorization": "Bearer good", "Content-Type": "application/json"}

// The health path works while everything that the app depends on is down.
func TestHealth(t *testing.T) {
	t.Parallel()
	book := &guestbook{auth: &authEngine{}}
	server := httptest.NewServer(book.routes())
	defer server.Close()
	if status, body, _ := send(t, "GET", server.URL+"/healthz", "", nil); status != http.StatusOK || body != "ok" {
		t.Errorf("/healthz without a database: got %d %q, want 200 \"ok\"", status, body)
	}
}

func TestMessageIsKeptAndShown(t *testing.T) {
	t.Parallel()
	server, _, _ := start(t)
	status, body, _ := send(t, "POST", server.URL+"/api/entries", `{"message": "  <script>alert(1)</script>\r\nhello "}`, signedIn)
	if status != http.StatusCreated || strings.Contains(body, "example.test") {
		t.Fatalf("a message: got %d %s, want 201 without the address", status, body)
	}
	_, page, header := send(t, "GET", server.URL+"/", "", nil)
	if !strings.Contains(page, "&lt;script&gt;alert(1)&lt;/script&gt;\nhello<") {
		t.Errorf("the page: got\n%s\nwant the message as it was written", page)
	}
	if strings.Contains(page, "ada@example.test") || !strings.Contains(page, ">ada<") {
		t.Error("the page shows the address, or no name")
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "script-src 'self';") || !strings.Contains(policy, "connect-src 'self' http://127.0.0.1:") {
		t.Errorf("the policy: got %q, want own scripts and the auth engine's address", policy)
	}
}

func TestMessagesThatAreRefused(t *testing.T) {
	t.Parallel()
	server, kept, _ := start(t)
	for what, row := range map[string]struct {
		body   string
		header map[string]string
		status int
		says   string
	}{
		"nobody":       {`{"message": "hi"}`, nil, http.StatusUnauthorized, "Sign in"},
		"wrong token":  {`{"message": "hi"}`, map[string]string{"Authorization": "Bearer bad"}, http.StatusUnauthorized, "Sign in"},
		"empty":        {`{"message": " \n "}`, signedIn, http.StatusUnprocessableEntity, "Write a message"},
		"too long":     {`{"message": "` + strings.Repeat("é", 501) + `"}`, signedIn, http.StatusUnprocessableEntity, "501 characters"},
		"null":         {`{"message": "a\u0000b"}`, signedIn, http.StatusUnprocessableEntity, "cannot be kept"},
		"no JSON":      {`message=hi`, signedIn, http.StatusBadRequest, "one piece"},
		"far too long": {`{"message": "` + strings.Repeat("x", bodyMax) + `"}`, signedIn, http.StatusBadRequest, "one piece"},
		"other site":   {`{"message": "hi"}`, map[string]string{"Authorization": "Bearer good", "Sec-Fetch-Site": "cross-site"}, http.StatusForbidden, ""},
		"other origin": {`{"message": "hi"}`, map[string]string{"Authorization": "Bearer good", "Origin": "https://evil.example"}, http.StatusForbidden, ""},
	} {
		t.Run(what, func(t *testing.T) {
			if status, body, _ := send(t, "POST", server.URL+"/api/entries", row.body, row.header); status != row.status || !strings.Contains(body, row.says) {
				t.Errorf("the answer: got %d %s, want %d with %q", status, body, row.status, row.says)
			}
		})
	}
	if len(kept.kept) > 0 {
		t.Errorf("messages that were kept: got %v, want none", kept.kept)
	}
	if status, _, _ := send(t, "POST", server.URL+"/api/entries", `{"message": "`+strings.Repeat("é", 500)+`"}`, signedIn); status != http.StatusCreated {
		t.Errorf("a message of 500 characters: got %d, want 201", status)
	}
}

// Whatever is down, the page is shown, and names the problem.
func TestApologies(t *testing.T) {
	t.Parallel()
	server, kept, book := start(t)
	for _, row := range []struct {
		err  error
		says string
	}{
		{errors.New("connection refused"), "cannot be reached at the moment"},
		{&pgconn.PgError{Code: "42P01"}, "its table is missing"},
	} {
		kept.err = row.err
		status, page, _ := send(t, "GET", server.URL+"/", "", nil)
		if status != http.StatusServiceUnavailable || !strings.Contains(page, row.says) || !strings.Contains(page, "Visit number") {
			t.Errorf("the page without its database: got %d, want 503 with %q and the visits:\n%s", status, row.says, page)
		}
	}
	if status, body, _ := send(t, "POST", server.URL+"/api/entries", `{"message": "hi"}`, signedIn); status != http.StatusServiceUnavailable || !strings.Contains(body, "not kept") {
		t.Errorf("a message without a database: got %d %s, want 503 and that it is not kept", status, body)
	}
	kept.err = nil
	book.auth.url = "http://127.0.0.1:1"
	if status, body, _ := send(t, "POST", server.URL+"/api/entries", `{"message": "hi"}`, signedIn); status != http.StatusServiceUnavailable || !strings.Contains(body, "cannot be checked") {
		t.Errorf("a message without the auth engine: got %d %s, want 503 and that it cannot be checked", status, body)
	}
	book.auth.url = ""
	if _, page, _ := send(t, "GET", server.URL+"/login", "", nil); !strings.Contains(page, "Sign-in is not set up yet") {
		t.Errorf("the sign-in page without an auth engine: got\n%s\nwant that sign-in is not set up", page)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	server, _, _ := start(t)
	for path, want := range map[string]int{
		"/login": 200, "/style.css": 200, "/session.js": 200, "/login.js": 200, "/guestbook.js": 200, "/icon.svg": 200,
		"/nowhere": 404, "/layout.html": 404, "/web/": 404,
	} {
		if status, _, header := send(t, "GET", server.URL+path, "", nil); status != want || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: got %d, want %d with nosniff", path, status, want)
		}
	}
}
