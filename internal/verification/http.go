package verification

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// errUnavailable is an error that waiting may resolve, because something is not available
// yet or is restarting.
var errUnavailable = errors.New("not available")

// reply is an answer with its whole body.
type reply struct {
	status int
	body   string
}

// browserless sends requests without a browser.
var browserless = &http.Client{Timeout: 2 * time.Minute}

func ask(ctx context.Context, method, address string, header map[string]string, body any) (reply, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return reply{}, err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, address, sent)
	if err != nil {
		return reply{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := browserless.Do(request)
	if err != nil {
		return reply{}, errors.Join(errUnavailable, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{}, errors.Join(errUnavailable, err)
	}
	got := reply{response.StatusCode, string(text)}
	if got.status >= http.StatusInternalServerError {
		return got, fmt.Errorf("%w: %s %s answered %d %s", errUnavailable, method, address, got.status, strings.TrimSpace(got.body))
	}
	return got, nil
}

func (g *Guestbook) get(ctx context.Context, path string) (reply, error) {
	return ask(ctx, http.MethodGet, g.AppURL+path, nil, nil)
}

// post leaves a message with a token.
func (g *Guestbook) post(ctx context.Context, token, message string) (reply, error) {
	return ask(ctx, http.MethodPost, g.AppURL+"/api/entries", map[string]string{"Authorization": "Bearer " + token}, map[string]string{"message": message})
}

// page is the shown guestbook.
type page struct {
	text   string
	visits int
}

var visitsShown = regexp.MustCompile(`<strong id="visits">(\d+)</strong>`)

// readBook gets the guestbook, which counts as a visit.
func (g *Guestbook) readBook(ctx context.Context) (page, error) {
	answer, err := g.get(ctx, "/")
	if err != nil {
		return page{}, err
	}
	if answer.status != http.StatusOK {
		return page{}, fmt.Errorf("the guestbook answered %d %s", answer.status, answer.body)
	}
	match := visitsShown.FindStringSubmatch(answer.body)
	if match == nil {
		return page{}, errors.New("the page shows no number of visits")
	}
	shown := page{text: answer.body}
	if shown.visits, err = strconv.Atoi(match[1]); err != nil {
		return page{}, err
	}
	g.counted = shown.visits
	return shown, nil
}

// has reports whether the page shows a message with its exact text, escaped.
func (p page) has(message string) bool {
	return !strings.Contains(p.text, message) && strings.Contains(html.UnescapeString(p.text), message)
}

// authorise asks the auth engine for tokens.
func (g *Guestbook) authorise(ctx context.Context, path string, who account) (string, error) {
	answer, err := ask(ctx, http.MethodPost, g.AuthURL+path, map[string]string{"apikey": g.AnonKey},
		map[string]string{"email": who.email, "password": who.password})
	if err != nil {
		return "", err
	}
	if answer.status != http.StatusOK {
		return "", fmt.Errorf("POST %s%s answered %d %s", g.AuthURL, path, answer.status, answer.body)
	}
	var session struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal([]byte(answer.body), &session); err != nil {
		return "", err
	}
	return session.AccessToken, nil
}

func (g *Guestbook) signIn(ctx context.Context, who account) (string, error) {
	return g.authorise(ctx, "/token?grant_type=password", who)
}

// visitByHTTP sends the requests of a visitor's browser.
func (g *Guestbook) visitByHTTP(ctx context.Context, who account, message string) error {
	login, err := g.get(ctx, "/login")
	if err != nil {
		return err
	}
	if login.status != http.StatusOK || !strings.Contains(login.body, g.AuthURL) {
		return fmt.Errorf("/login answered %d and does not name the auth engine", login.status)
	}
	if _, err := g.authorise(ctx, "/signup", who); err != nil {
		return err
	}
	g.Say("Signed up as %s", who.email)
	token, err := g.signIn(ctx, who)
	if err != nil {
		return err
	}
	g.Say("Signed in as %s", who.email)
	answer, err := g.post(ctx, token, message)
	if err != nil {
		return err
	}
	if answer.status != http.StatusCreated {
		return fmt.Errorf("the message was answered with %d %s", answer.status, answer.body)
	}
	shown, err := g.readBook(ctx)
	if err != nil {
		return err
	}
	if !shown.has(message) {
		return errors.New("the message is not shown")
	}
	g.Say("Posted, and the page shows: %s", message)
	return nil
}
