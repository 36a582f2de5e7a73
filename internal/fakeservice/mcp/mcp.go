// Package mcp serves the tools of package operations over the Streamable HTTP transport
// of the Model Context Protocol. It accepts the same API keys as the REST API.
//
// There are no sessions, so a revoked key is refused immediately, and clients can
// continue after a restart of the fake. Results are core's records as structured content.
// A refusal is a tool error whose text is the envelope of the REST API, {"detail":
// string, "code": string}.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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

// Mount adds the server and its metadata to a mux.
func Mount(mux *http.ServeMux, o Options) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	f := &face{Options: o}
	// The descriptions of the tools take a while, and most fakes are never asked for
	// them.
	server := sync.OnceValue(f.server)
	mux.Handle(Path, f.authorised(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server() }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		// The caller of Mount checks the host name.
		DisableLocalhostProtection: true,
	})))
	mux.HandleFunc("GET "+metadataPath, serveMetadata)
	mux.HandleFunc("GET "+metadataPath+Path, serveMetadata)
}

// face is the server with the data for its tools.
type face struct {
	Options
	// confirmed has the tools that require the instance's id in confirm.
	confirmed map[string]bool
}

// authorised passes on requests with a valid API key. It answers others with the address
// of the metadata, as in RFC 9728.
func (f *face) authorised(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := httpauth.Token(r)
		challenge := `Bearer resource_metadata="` + httpauth.Root(r) + metadataPath + Path + `"`
		switch {
		case key == "":
			refuse(w, challenge, "the request has no API key; send it as a bearer token")
		case !f.Service.Authenticate(key):
			refuse(w, challenge+`, error="invalid_token"`, "the API key is not valid")
		default:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), rootKey{}, httpauth.Root(r))))
		}
	})
}

func refuse(w http.ResponseWriter, challenge, detail string) {
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(envelopeOf(&core.Problem{Code: core.Unauthorized, Detail: detail})))
}

// metadata is the server's metadata for clients without access (RFC 9728). It names no
// authorization server, because keys are made in the portal.
type metadata struct {
	Resource      string   `json:"resource"`
	Name          string   `json:"resource_name"`
	BearerMethods []string `json:"bearer_methods_supported"`
}

func serveMetadata(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	// Nothing can be done for a client that is gone.
	_ = json.NewEncoder(w).Encode(metadata{httpauth.Root(r) + Path, "Instance hosting", []string{"header"}})
}

// rootKey is the context key of the address at which a caller found the server.
type rootKey struct{}

// portal returns the portal's address for a caller.
func (f *face) portal(ctx context.Context) string {
	root, _ := ctx.Value(rootKey{}).(string)
	return cmp.Or(f.PortalURL, root)
}
