package providertest

import (
	"flag"
	"net/http"
)

// Pairs is the number of pairs of present and planned objects that tests of changes try.
// make steps, which CI runs, tries more than make test.
var Pairs = flag.Int("pairs", 300, "number of pairs of present and planned objects to try")

// CountRefusals passes requests to a handler and counts the answers of 400 and above.
func CountRefusals(next http.Handler, refused *int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&statusWriter{w, refused}, r)
	})
}

type statusWriter struct {
	http.ResponseWriter
	refused *int
}

func (w *statusWriter) WriteHeader(status int) {
	if status >= 400 {
		*w.refused++
	}
	w.ResponseWriter.WriteHeader(status)
}
