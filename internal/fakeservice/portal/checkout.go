package portal

import (
	"html/template"
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// checkoutPage is what a customer sees who opens a checkout.
var checkoutPage = template.Must(template.New("checkout").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body { font: 1.1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem; color: #1d2430; background: #f6f7f9 }
h1 { font-size: 1.7rem; line-height: 1.2 }
code { background: #e6e9ee; padding: .1em .35em; border-radius: .25em }
</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
{{with .Instance}}<p>Instance: <code>{{.}}</code></p>{{end}}
</main>
</body>
</html>
`))

// serveCheckout is the page that a paid plan waits for. Opening it finishes
// the checkout; no money moves.
func serveCheckout(s *core.Service) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		page := struct{ Title, Text, Instance string }{
			Title: "There is no such checkout", Text: "It was cancelled, or the address is not whole.",
		}
		status := http.StatusNotFound
		if checkout, err := s.OpenCheckout(r.PathValue("token")); err == nil {
			status, page.Instance = http.StatusOK, checkout.InstanceID
			page.Title, page.Text = "This checkout is finished", "There is nothing left to do here."
			if checkout.Finished {
				page.Title = "Thank you"
				page.Text = "The checkout is finished and the instance is being created. This is a fake: nothing was charged."
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_ = checkoutPage.Execute(w, page) // nothing is left to do for a browser that has gone
	}
}
