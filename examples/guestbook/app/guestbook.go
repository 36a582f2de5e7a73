package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
)

const (
	// entriesShown is the number of messages on the page.
	entriesShown = 100
	// bodyMax is the maximum size of a request's body: 500 characters fit easily.
	bodyMax = 16 << 10
)

//go:embed web
var web embed.FS

// pages are the templates. They escape the text of visitors.
var pages = template.Must(template.ParseFS(web, "web/*.html"))

// guestbook is the app.
type guestbook struct {
	entries interface {
		latest(ctx context.Context, limit int) ([]entry, error)
		add(ctx context.Context, who visitor, message string) (entry, error)
	}
	visits *counter
	auth   *authEngine
}

func (g *guestbook) routes() http.Handler {
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // the folder is built in
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "ok")
	})
	mux.HandleFunc("GET /{$}", g.showBook)
	mux.HandleFunc("GET /login", g.showLogin)
	mux.HandleFunc("POST /api/entries", g.addEntry)
	for _, name := range []string{"style.css", "session.js", "guestbook.js", "login.js", "icon.svg"} {
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			// Another version may be deployed at any time.
			w.Header().Set("Cache-Control", "no-cache")
			http.ServeFileFS(w, r, files, name)
		})
	}
	mux.HandleFunc("GET /", g.showNothing)
	// A browser that was sent here by another site's page cannot change anything, even if
	// that page had the token.
	return withHeaders(g.auth.url, http.NewCrossOriginProtection().Handler(mux))
}

// page is the data for the templates.
type page struct {
	Title            string
	AuthURL, AnonKey string
	AuthReady        bool
	// MessageMax is the maximum length of a message; Visits is 0 if it is unknown.
	MessageMax, Visits int
	Entries            []entry
	// Problem says why the messages are not shown.
	Problem string
}

func (g *guestbook) page(title string) page {
	return page{Title: title, AuthURL: g.auth.url, AnonKey: g.auth.anonKey, AuthReady: g.auth.ready(), MessageMax: messageMax}
}

// showBook shows the guestbook and counts a visit.
func (g *guestbook) showBook(w http.ResponseWriter, r *http.Request) {
	shown, status := g.page("Guestbook"), http.StatusOK
	var err error
	if r.Method == http.MethodGet {
		if shown.Visits, err = g.visits.next(); err != nil {
			slog.Error("the visit was not counted", "error", err)
			shown.Visits = 0
		}
	}
	if shown.Entries, err = g.entries.latest(r.Context(), entriesShown); err != nil {
		slog.Error("the messages cannot be read", "error", err)
		status, shown.Problem = http.StatusServiceUnavailable, problemOf(err)
	}
	render(w, status, "guestbook.html", shown)
}

// problemOf tells the visitor about an error of the database.
func problemOf(err error) string {
	if isMissingTable(err) {
		return "The guestbook is not set up yet: its table is missing."
	}
	return "The messages cannot be reached at the moment. Try again in a few seconds."
}

func (g *guestbook) showLogin(w http.ResponseWriter, _ *http.Request) {
	render(w, http.StatusOK, "login.html", g.page("Sign in"))
}

func (g *guestbook) showNothing(w http.ResponseWriter, _ *http.Request) {
	render(w, http.StatusNotFound, "nothing.html", g.page("Not found"))
}

// addEntry stores a message of a signed-in visitor. The token is in a header that no
// browser adds by itself, so no other site can send one.
func (g *guestbook) addEntry(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	var sent struct {
		Message string `json:"message"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyMax)).Decode(&sent); err != nil {
		refuse(w, http.StatusBadRequest, "The message did not arrive in one piece. Try again.")
		return
	}
	message, wrong := tidy(sent.Message)
	if wrong != "" {
		refuse(w, http.StatusUnprocessableEntity, wrong)
		return
	}
	who, err := g.auth.verify(r.Context(), token)
	switch {
	case errors.Is(err, errNotSignedIn):
		refuse(w, http.StatusUnauthorized, "Sign in to leave a message.")
		return
	case errors.Is(err, errNoAuth):
		refuse(w, http.StatusServiceUnavailable, "Sign-in is not set up yet.")
		return
	case err != nil:
		slog.Error("the token cannot be verified", "error", err)
		refuse(w, http.StatusServiceUnavailable, "Your sign-in cannot be checked at the moment. Try again in a few seconds.")
		return
	}
	added, err := g.entries.add(r.Context(), who, message)
	if err != nil {
		slog.Error("the message was not kept", "error", err)
		refuse(w, http.StatusServiceUnavailable, "Your message was not kept. Try again in a few seconds.")
		return
	}
	answer(w, http.StatusCreated, added)
}

func refuse(w http.ResponseWriter, status int, why string) {
	answer(w, status, map[string]string{"error": why})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // Nothing is left to do for a browser that has gone.
}

// render writes a complete page, or an error if it cannot.
func render(w http.ResponseWriter, status int, name string, shown page) {
	var text strings.Builder
	if err := pages.ExecuteTemplate(&text, name, shown); err != nil {
		slog.Error("a page cannot be shown", "page", name, "error", err)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text.String()) // Nothing is left to do for a browser that has gone.
}
