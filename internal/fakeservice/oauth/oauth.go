// Package oauth is the authorization server of the MCP server, as the MCP specification
// wants it: authorization codes with PKCE (S256 only), rotating refresh tokens, and
// metadata by which a client finds everything (RFC 8414).
//
// A client names itself by the https URL of its metadata document, or registers itself
// (RFC 7591). All clients are public: they have no secret. A person consents on a page of
// the portal, which uses Server.Parse. Package core stores clients, codes and tokens, and
// checks what must happen at once, such as the single use of a code.
package oauth

import (
	"encoding/json"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
)

// AuthorizePath is the path of the consent page. It is below the portal's, because
// browsers send the session's cookie only there.
const AuthorizePath = "/portal/authorize"

const (
	metadataPath = "/.well-known/oauth-authorization-server"
	registerPath = "/oauth/register"
	tokenPath    = "/oauth/token"
	revokePath   = "/oauth/revoke"
)

// maxBody is the maximum size of a request in bytes.
const maxBody = 64 << 10

// Options configures a Server.
type Options struct {
	Service *core.Service
	// Resource is the path of the resource that tokens are for.
	Resource string
	// Network fetches the metadata documents of clients. It must not reach addresses that
	// are closed to the callers of the fake. If it is nil, there are only registered
	// clients.
	Network http.RoundTripper
}

// Server is the authorization server. It is safe for concurrent use.
type Server struct{ Options }

// New makes a Server.
func New(o Options) *Server { return &Server{o} }

// Mount adds everything but the consent page to a mux.
func (s *Server) Mount(mux *http.ServeMux) {
	mux.HandleFunc("GET "+metadataPath, s.serveMetadata)
	mux.HandleFunc("POST "+registerPath, limited(s.register))
	mux.HandleFunc("POST "+tokenPath, limited(s.token))
	mux.HandleFunc("POST "+revokePath, limited(s.revoke))
}

func limited(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		serve(w, r)
	}
}

// metadata is the metadata of the server. The library's type always has jwks_uri, which
// is only for servers that sign something.
type metadata struct {
	oauthex.AuthServerMeta
	JWKSURI string `json:"jwks_uri,omitempty"`
}

// serveMetadata serves the metadata for the address at which the caller found the fake.
func (s *Server) serveMetadata(w http.ResponseWriter, r *http.Request) {
	root := httpauth.Root(r)
	answer(w, http.StatusOK, metadata{AuthServerMeta: oauthex.AuthServerMeta{
		Issuer:                root,
		AuthorizationEndpoint: root + AuthorizePath,
		TokenEndpoint:         root + tokenPath,
		RegistrationEndpoint:  root + registerPath,
		RevocationEndpoint:    root + revokePath,

		ResponseTypesSupported:                     []string{"code"},
		ResponseModesSupported:                     []string{"query"},
		GrantTypesSupported:                        grantTypes,
		TokenEndpointAuthMethodsSupported:          []string{authMethod},
		RevocationEndpointAuthMethodsSupported:     []string{authMethod},
		CodeChallengeMethodsSupported:              []string{challengeMethod},
		ClientIDMetadataDocumentSupported:          s.Network != nil,
		AuthorizationResponseIssParameterSupported: true,
	}})
}

// resource returns the resource of the server for the caller, if text is its name.
func (s *Server) resource(r *http.Request, text string) (own string, ok bool) {
	own = httpauth.Root(r) + s.Resource
	return own, oauthex.MatchesResource([]string{text}, own)
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // nothing can be done for a client that is gone
}

// refuse answers a request of a client with an error (RFC 6749, section 5.2).
func refuse(w http.ResponseWriter, code, description string) {
	answer(w, http.StatusBadRequest, struct {
		Error       string `json:"error"`
		Description string `json:"error_description"`
	}{code, description})
}
