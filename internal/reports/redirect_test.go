package reports

import (
	"fmt"
	"testing"
)

// The service has moved to another address.
func TestRedirect(t *testing.T) {
	all := situations{}
	for _, status := range []int{301, 302, 307, 308} {
		all[fmt.Sprint(status)] = func(w *world) {
			w.behaves(trait{path: "", before: func(x *exchange) {
				x.status, x.body = status, []byte("<html>moved</html>")
				x.header.Set("Location", "https://www.hosting.example"+prefix+x.path)
			}})
			w.run(machine(""), "apply").fails("https://www.hosting.example", "base_url")
			w.counts(0, "POST", "")
		}
	}
	report(t, "Picterra/picterra-python#85", "a redirect", all)
}
