package fakeservice

import (
	_ "embed"
	"net/http"
)

//go:embed guide.md
var guide []byte

const guideType = "text/markdown; charset=utf-8"

func (st *state) getGuide(*call) response {
	return response{status: http.StatusOK, raw: guide, contentType: guideType}
}

// servePublicGuide is the guide at the portal's address, for anyone.
func servePublicGuide(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", guideType)
	_, _ = w.Write(guide) // nothing is left to do for a reader that has gone
}
