package reports

import (
	"strings"
	"testing"
)

// A connection string has options, which a function must not drop.
func TestOptionsOfAURL(t *testing.T) {
	env := func(query string) string {
		const url = "postgresql://o:p@h.example:5432/main?"
		return "output \"env\" {\n  value = jsonencode(provider::hosting::libpq_env(\"" + url + query + "\", \"/ca.pem\"))\n}\n"
	}
	has := func(query string, want ...string) func(*world) {
		return func(w *world) {
			w.apply(env(query))
			got, _ := w.cli.Output("env").(string)
			for _, text := range want {
				w.be(strings.Contains(got, text), "libpq_env: got %s, want %s in it", got, text)
			}
		}
	}
	report(t, "duckdb/duckdb-postgres#268", "options of a URL that are dropped", situations{
		"options":          has("options=-c%20search_path%3Dshop", "PGOPTIONS", "search_path"),
		"connect_timeout":  has("sslmode=verify-full&connect_timeout=5", "PGCONNECT_TIMEOUT"),
		"application_name": has("application_name=shop", "PGAPPNAME"),
		"an option without a variable": func(w *world) {
			w.run(env("no_such_option=1"), "apply").fails("no_such_option")
		},
	})
}
