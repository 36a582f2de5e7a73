// Package mcp serves the tools of package operations over the Streamable HTTP transport
// of the Model Context Protocol. It accepts the same API keys as the REST API, and access
// tokens of package oauth.
//
// A revoked key or token is refused immediately. There are no sessions, except of clients
// that need one to ask a person, so all others can continue after a restart of the fake.
// Results are core's records as structured content.
// A refusal is a tool error whose text is the envelope of the REST API, {"detail":
// string, "code": string}.
package mcp

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
)

// Path is the path of the server.
const Path = "/mcp"

// metadataPath is the path of the metadata of a protected resource (RFC 9728). The
// metadata of a resource with a path is below it.
const metadataPath = "/.well-known/oauth-protected-resource"

// maxBody is the maximum size of a request in bytes.
const maxBody = 1 << 20

// Options configures the server.
type Options struct {
	Service *core.Service
	// PortalURL is the address of the portal for checkouts. "" means the address at which
	// the caller found the server.
	PortalURL string
	// Logger, if non-nil, receives a line for each call, without arguments.
	Logger *slog.Logger
	// Called, if non-nil, is called with each call of an existing tool, before it is
	// answered.
	Called func(Call)
}

// Call is a completed or refused call of a tool.
type Call struct {
	Tool string
	// Refused is the code of the refusal, or "".
	Refused core.Code
}

// Mount adds the server and its metadata to a mux. It returns a function that ends the
// sessions.
func Mount(mux *http.ServeMux, o Options) (end func()) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	f := &face{Options: o}
	// The descriptions of the tools take a while, and most fakes are never asked for
	// them.
	server := sync.OnceValue(f.server)
	sessions := newSessions(server)
	// Some clients add a slash to the address, and follow no redirect with their key.
	for _, end := range []string{"", "/{$}"} {
		mux.Handle(Path+end, f.authorised(sessions))
		mux.HandleFunc("GET "+metadataPath+Path+end, serveMetadata)
	}
	mux.HandleFunc("GET "+metadataPath, serveMetadata)
	return sessions.close
}

// face is the server with the data for its tools.
type face struct {
	Options
	// confirmed has the tools that require the instance's id in confirm.
	confirmed map[string]bool
}

// authorised passes on requests with a valid API key or access token. It answers others
// with the address of the metadata, as in RFC 9728.
func (f *face) authorised(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := httpauth.Token(r)
		challenge := `Bearer resource_metadata="` + httpauth.Root(r) + metadataPath + Path + `"`
		switch {
		case token == "":
			refuse(w, challenge, "the request has no API key and no access token; send one as a bearer token")
		case !f.Service.Authenticate(token) && !f.isAccessToken(r, token):
			refuse(w, challenge+`, error="invalid_token"`, "the API key or access token is not valid")
		default:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), rootKey{}, httpauth.Root(r))))
		}
	})
}

// isAccessToken reports whether a token is an access token of OAuth for this server.
func (f *face) isAccessToken(r *http.Request, token string) bool {
	audience, valid := f.Service.TokenAudience(token)
	return valid && oauthex.MatchesResource([]string{audience}, httpauth.Root(r)+Path)
}

func refuse(w http.ResponseWriter, challenge, detail string) {
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(envelopeOf(&core.Problem{Code: core.Unauthorized, Detail: detail})))
}

// serveMetadata serves the server's metadata for clients without access (RFC 9728). The
// authorization server is at the same address.
func serveMetadata(w http.ResponseWriter, r *http.Request) {
	root := httpauth.Root(r)
	auth.ProtectedResourceMetadataHandler(&oauthex.ProtectedResourceMetadata{
		Resource: root + Path, ResourceName: "Instance hosting", AuthorizationServers: []string{root}, BearerMethodsSupported: []string{"header"},
	}).ServeHTTP(w, r)
}

// rootKey is the context key of the address at which a caller found the server.
type rootKey struct{}

// portal returns the portal's address for a caller.
func (f *face) portal(ctx context.Context) string {
	root, _ := ctx.Value(rootKey{}).(string)
	return cmp.Or(f.PortalURL, root)
}
