// Package portal is the part of the service that people see in a browser: the checkout of
// a paid plan, and the guide to apps.
package portal

import (
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// Mount adds the portal's pages to a mux.
func Mount(mux *http.ServeMux, s *core.Service) {
	mux.HandleFunc("/checkout/{token}", serveCheckout(s))
	mux.HandleFunc("GET /guides/apps", serveGuide)
}

// serveGuide is the guide at the portal's address, for anyone.
func serveGuide(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", core.GuideType)
	_, _ = w.Write(core.Guide) // nothing is left to do for a reader that has gone
}
