// Package mcp is the MCP face of the service: the tools of package operations, by the
// Streamable HTTP transport of the Model Context Protocol, for the same API keys as the
// REST face.
//
// Each request stands for itself: there are no sessions, so a key that is revoked is
// refused at once, and a fake that is started again goes on. Results are core's records
// as structured content. A refusal is a tool error whose text is the envelope of the REST
// API, {"detail": string, "code": string}.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/caller"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// Path is where the server is, below the address of the service.
const Path = "/mcp"

// metadataPath is where RFC 9728 puts what a protected resource says of itself; that of a
// resource with a path is below it.
const metadataPath = "/.well-known/oauth-protected-resource"

// maxBody is the longest request that is read, in bytes.
const maxBody = 1 << 20

// Options says how the face is served.
type Options struct {
	Service *core.Service
	// PortalURL is the address of the portal, where checkouts are opened; empty is the
	// one at which a caller found the server.
	PortalURL string
	// Logger gets one line for each call, without arguments; nil discards them.
	Logger *slog.Logger
	// Called is told of each call of a tool that there is, before it is answered; nil is
	// nobody.
	Called func(Call)
}

// Call is a call of a tool that has been carried out or refused.
type Call struct {
	Tool string
	// Refused is the code of the refusal; "" where there was none.
	Refused core.Code
}

// Mount adds the server and what it says of itself to a mux.
func Mount(mux *http.ServeMux, o Options) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	f := &face{Options: o}
	// Few fakes are ever asked for a tool, and describing all of them takes a while.
	server := sync.OnceValue(f.server)
	mux.Handle(Path, f.authorised(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server() }, &sdk.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true,
		// Whoever serves the mux knows by which names it goes.
		DisableLocalhostProtection: true,
	})))
	mux.HandleFunc("GET "+metadataPath, serveMetadata)
	mux.HandleFunc("GET "+metadataPath+Path, serveMetadata)
}

// face is the server with what its tools need.
type face struct {
	Options
	// confirmed are the tools that want the instance's id once more.
	confirmed map[string]bool
}

// authorised lets requests through that bring an API key. The others are told, as RFC 9728
// has it, where it is said how to get in.
func (f *face) authorised(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := caller.Token(r)
		challenge := `Bearer resource_metadata="` + caller.Root(r) + metadataPath + Path + `"`
		switch {
		case key == "":
			refuse(w, challenge, "the request has no API key; send it as a bearer token")
		case !f.Service.Authenticate(key):
			refuse(w, challenge+`, error="invalid_token"`, "the API key is not valid")
		default:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), rootKey{}, caller.Root(r))))
		}
	})
}

func refuse(w http.ResponseWriter, challenge, detail string) {
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(envelopeOf(&core.Problem{Code: core.Unauthorized, Detail: detail})))
}

// metadata is what the server says of itself to who wants in (RFC 9728). It names no
// authorization server, as there is none: keys are made in the portal.
type metadata struct {
	Resource      string   `json:"resource"`
	Name          string   `json:"resource_name"`
	BearerMethods []string `json:"bearer_methods_supported"`
}

func serveMetadata(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	// Nothing is left to do for a client that has gone.
	_ = json.NewEncoder(w).Encode(metadata{caller.Root(r) + Path, "Instance hosting", []string{"header"}})
}

// rootKey is the context key of the address at which a caller found the server.
type rootKey struct{}

// portal is the address of the portal's pages for a caller.
func (f *face) portal(ctx context.Context) string {
	root, _ := ctx.Value(rootKey{}).(string)
	return cmp.Or(f.PortalURL, root)
}
