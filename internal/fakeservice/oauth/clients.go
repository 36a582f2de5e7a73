package oauth

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// authMethod is the only way in which clients authenticate: not at all.
const authMethod = "none"

var grantTypes = []string{"authorization_code", "refresh_token"}

// Limits of a client, and of its metadata document in bytes and in real time.
const (
	redirectURIsMost = 10
	uriLongest       = 2048
	nameLongest      = 100
	documentLargest  = 5 << 10
	documentTime     = 10 * time.Second
)

// Client is an application that asks for access.
type Client struct {
	ID, Name     string
	RedirectURIs []string
}

// declaration is what a client says of itself, in its metadata document or at its
// registration. Other fields are ignored.
type declaration struct {
	ClientID     string   `json:"client_id"`
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`
	AuthMethod   string   `json:"token_endpoint_auth_method"`
}

func (d declaration) check() error {
	if len(d.RedirectURIs) == 0 || len(d.RedirectURIs) > redirectURIsMost {
		return fmt.Errorf("redirect_uris must have 1 to %d entries", redirectURIsMost)
	}
	for _, one := range d.RedirectURIs {
		if len(one) > uriLongest {
			return fmt.Errorf("a redirect URI has more than %d bytes", uriLongest)
		}
		if err := checkRedirectURI(one); err != nil {
			return err
		}
	}
	return nil
}

// checkName refuses a name that could deceive the person who reads it.
func (d declaration) checkName() error {
	hidden := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
	if utf8.RuneCountInString(d.Name) > nameLongest || strings.ContainsFunc(d.Name, hidden) {
		return fmt.Errorf("client_name must have at most %d characters, and none that cannot be seen", nameLongest)
	}
	return nil
}

// register registers a client (RFC 7591). It gets no secret, whatever it asks for.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var d declaration
	if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
		refuse(w, "invalid_client_metadata", "the request is not a JSON object of client metadata")
		return
	}
	if err := d.check(); err != nil {
		refuse(w, "invalid_redirect_uri", err.Error())
		return
	}
	if err := d.checkName(); err != nil {
		refuse(w, "invalid_client_metadata", err.Error())
		return
	}
	made, err := s.Service.RegisterClient(d.Name, d.RedirectURIs)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	answer(w, http.StatusCreated, &oauthex.ClientRegistrationResponse{
		ClientID: made.ID, ClientIDIssuedAt: made.CreatedAt,
		ClientRegistrationMetadata: oauthex.ClientRegistrationMetadata{
			ClientName: made.Name, RedirectURIs: made.RedirectURIs, TokenEndpointAuthMethod: authMethod,
			GrantTypes: grantTypes, ResponseTypes: []string{"code"},
		},
	})
}

// client returns the client with an id: the one that a document at this URL describes, or
// a registered one.
func (s *Server) client(ctx context.Context, id string) (Client, error) {
	if s.Network != nil && strings.HasPrefix(id, "https://") {
		return s.readDocument(ctx, id)
	}
	c, ok := s.Service.RegisteredClient(id)
	if !ok {
		return Client{}, errors.New("the application is not registered here")
	}
	return Client{ID: c.ID, Name: cmp.Or(c.Name, c.ID), RedirectURIs: c.RedirectURIs}, nil
}

// readDocument reads a client's metadata document at the URL that is its id
// (draft-ietf-oauth-client-id-metadata-document).
func (s *Server) readDocument(ctx context.Context, id string) (Client, error) {
	if err := checkDocumentURL(id); err != nil {
		return Client{}, err
	}
	text, err := s.fetch(ctx, id)
	if err != nil {
		return Client{}, fmt.Errorf("the metadata document of the application cannot be read: %w", err)
	}
	var d declaration
	if err := json.Unmarshal(text, &d); err != nil {
		return Client{}, errors.New("the metadata document of the application is not a JSON object of client metadata")
	}
	switch {
	case d.ClientID != id:
		return Client{}, errors.New("the metadata document of the application is for another client_id")
	case d.AuthMethod != "" && d.AuthMethod != authMethod:
		return Client{}, fmt.Errorf("the application authenticates by %q, and only %q is supported", d.AuthMethod, authMethod)
	}
	return Client{ID: id, Name: cmp.Or(d.Name, id), RedirectURIs: d.RedirectURIs}, errors.Join(d.check(), d.checkName())
}

// checkDocumentURL returns an error unless the URL of a document has one form only, so
// that it can be compared as text.
func checkDocumentURL(id string) error {
	u, err := url.Parse(id)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Contains(id, "#") || u.RawQuery != "" ||
		len(u.Path) < 2 || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") || len(id) > uriLongest {
		return errors.New("the client_id is not the https URL of a metadata document, with a path and without a query, a fragment or a user name")
	}
	return nil
}

// fetch reads a document. It does not follow redirects.
func (s *Server) fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.Network.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the answer is %d", response.StatusCode)
	case kind != "application/json" && !strings.HasSuffix(kind, "+json"):
		return nil, fmt.Errorf("its type is %q and not JSON", kind)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, documentLargest+1))
	if err == nil && len(text) > documentLargest {
		err = fmt.Errorf("it has more than %d bytes", documentLargest)
	}
	return text, err
}
