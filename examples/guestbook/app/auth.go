package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// authEngine is the instance's auth engine. Browsers sign in with it; the app only asks it
// to whom a token belongs.
type authEngine struct {
	url, anonKey string
	client       *http.Client
}

// visitor is a signed-in user.
type visitor struct {
	ID    string `json:"id"`
	Email string `json:"email"`
}

// name returns the name that is shown for a visitor. The rest of the address stays private.
func (v visitor) name() string {
	name, _, _ := strings.Cut(v.Email, "@")
	return name
}

var (
	errNotSignedIn = errors.New("the token does not belong to a user")
	errNoAuth      = errors.New("NEXT_PUBLIC_AUTH_URL and NEXT_PUBLIC_AUTH_ANON_KEY are not set")
)

func (a *authEngine) ready() bool { return a.url != "" && a.anonKey != "" }

// verify returns the visitor that a token belongs to. It asks the auth engine each time, so
// that a token is worthless after the visitor has signed out.
func (a *authEngine) verify(ctx context.Context, token string) (visitor, error) {
	if !a.ready() {
		return visitor{}, errNoAuth
	}
	if token == "" {
		return visitor{}, errNotSignedIn
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url+"/user", nil)
	if err != nil {
		return visitor{}, err
	}
	request.Header.Set("apikey", a.anonKey)
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := a.client.Do(request)
	if err != nil {
		return visitor{}, fmt.Errorf("ask the auth engine: %w", err)
	}
	defer response.Body.Close()
	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return visitor{}, errNotSignedIn
	default:
		return visitor{}, fmt.Errorf("the auth engine answered %s", response.Status)
	}
	var who visitor
	if err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&who); err != nil {
		return visitor{}, fmt.Errorf("the auth engine's answer: %w", err)
	}
	if who.ID == "" {
		return visitor{}, errors.New("the auth engine's answer has no user ID")
	}
	return who, nil
}
