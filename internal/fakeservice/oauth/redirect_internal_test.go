package oauth

import "testing"

// A client may register redirect URIs that lead to its site or to a program, and never to
// a script, a file or a plain-text site.
func TestCheckRedirectURI(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://app.example/callback":           true,
		"https://app.example":                    true,
		"http://127.0.0.1/callback":              true,
		"http://127.0.0.1:8000/callback":         true,
		"http://[::1]:8000/callback":             true,
		"http://localhost:8000/callback":         true,
		"com.example.app:/callback":              true,
		"com.example.app://callback":             true,
		"cursor://anysphere.cursor-mcp/callback": true,
		"vscode://publisher.extension/callback":  true,
		"example:/callback":                      false,
		"example://app.example/callback":         false,
		"javascript://app.example/%0aalert(1)":   false,
		"cursor://user@anysphere.cursor-mcp/":    false,
		"example:callback":                       false,
		"blob:https://app.example/1":             false,
		"view-source:https://app.example/":       false,
		"ftp://app.example/callback":             false,
		"ws://app.example/callback":              false,
		"mailto:ada@app.example":                 false,
		"intent://callback":                      false,
		"ms-msdt:/id":                            false,
		"":                                       false,
		"/callback":                              false,
		"app.example/callback":                   false,
		"https:///callback":                      false,
		"https://app.example/callback#part":      false,
		"https://app.example/callback#":          false,
		"https://user@app.example/callback":      false,
		"http://app.example/callback":            false,
		"http://127.0.0.1.app.example/":          false,
		"http://127.0.0.1@app.example/":          false,
		"http://localhost.app.example/":          false,
		"javascript:alert(1)":                    false,
		"JavaScript:alert(1)":                    false,
		"data:text/html,<script></script>":       false,
		"file:///etc/passwd":                     false,
		"vbscript:x":                             false,
		"about:blank":                            false,
		"https://app.example/\x00":               false,
		"java\nscript:alert(1)//com.example.x":   false,
	} {
		if err := checkRedirectURI(text); (err == nil) != want {
			t.Errorf("checkRedirectURI(%q): got %v, want valid %v", text, err, want)
		}
	}
}

// A redirect URI is one of the client's as text, except that the port on the person's own
// machine is free.
func TestMatchesRedirectURI(t *testing.T) {
	t.Parallel()
	registered := []string{"https://app.example/callback", "http://127.0.0.1/callback", "http://[::1]:5000/callback?a=1", "http://localhost:5000/callback", "com.example.app:/callback"}
	for text, want := range map[string]bool{
		"https://app.example/callback":         true,
		"http://127.0.0.1/callback":            true,
		"http://127.0.0.1:50000/callback":      true,
		"http://[::1]:50000/callback?a=1":      true,
		"http://[::1]/callback?a=1":            true,
		"http://localhost:50000/callback":      true,
		"com.example.app:/callback":            true,
		"":                                     false,
		"https://app.example/callback/":        false,
		"https://app.example/Callback":         false,
		"https://APP.example/callback":         false,
		"https://app.example:443/callback":     false,
		"https://app.example:8443/callback":    false,
		"https://app.example/callback?a=1":     false,
		"https://app.example/callback#part":    false,
		"https://app.example/x/../callback":    false,
		"https://app.example.evil/callback":    false,
		"http://app.example/callback":          false,
		"https://127.0.0.1/callback":           false,
		"http://127.0.0.2/callback":            false,
		"http://127.0.0.1:50000/other":         false,
		"http://127.0.0.1:50000/callback?a=1":  false,
		"http://127.0.0.1:50000/callback#part": false,
		"http://me@127.0.0.1:50000/callback":   false,
		"http://127.0.0.1:50000@evil/callback": false,
		"http://127.0.0.1.evil/callback":       false,
		"http://[::1]:50000/callback":          false,
		"http://[::2]:5000/callback?a=1":       false,
		"com.example.app:/other":               false,
		"com.example.app://callback":           false,
	} {
		if got := matchesRedirectURI(registered, text); got != want {
			t.Errorf("matchesRedirectURI(%q): got %v, want %v", text, got, want)
		}
	}
}

// The URL of a metadata document has one form only.
func TestCheckDocumentURL(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://app.example/client.json":     true,
		"https://app.example:8443/a/b":        true,
		"https://app.example/a/":              true,
		"https://app.example":                 false,
		"https://app.example/":                false,
		"http://app.example/client.json":      false,
		"https:///client.json":                false,
		"https://me@app.example/client.json":  false,
		"https://app.example/client.json#a":   false,
		"https://app.example/client.json?a=1": false,
		"https://app.example/../client.json":  false,
		"https://app.example/a/./client.json": false,
		"https://app.example//client.json":    false,
	} {
		if err := checkDocumentURL(text); (err == nil) != want {
			t.Errorf("checkDocumentURL(%q): got %v, want valid %v", text, err, want)
		}
	}
}
