package fakeservice_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// Some clients leave out headers that the protocol asks for, or write the address or an empty
// value otherwise. Each gets its answer, in a form that it takes.
func TestRequestsOfOtherClients(t *testing.T) {
	t.Parallel()
	a := start(t)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_repos","arguments":{}}}`
	const opens = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"v1"}}}`
	const single, events = "application/json", "text/event-stream"
	both := single + ", " + events
	progress := strings.Replace(call, `"arguments":{}`, `"arguments":{},"_meta":{"progressToken":1}`, 1)
	for name, row := range map[string]struct {
		path, accept, kind, body string
		want                     string // the type of the answer
	}{
		"as the protocol asks":           {accept: both, body: call, want: single},
		"JSON only":                      {accept: single, body: call, want: single},
		"JSON only, and progress":        {accept: single, body: progress, want: single},
		"JSON only, and can ask":         {accept: single, body: opens, want: single},
		"events only":                    {accept: events, body: call, want: events},
		"events only, with a weight":     {accept: events + ";q=0.9", body: call, want: events},
		"anything":                       {accept: "*/*", body: call, want: single},
		"anything of a kind":             {accept: "application/*", body: call, want: single},
		"nothing named":                  {accept: "", body: call, want: single},
		"progress":                       {accept: both, body: progress, want: events},
		"a character set":                {accept: both, kind: single + "; charset=utf-8", body: call, want: single},
		"a slash at the end":             {path: "/", accept: both, body: call, want: single},
		"no arguments":                   {accept: both, body: strings.Replace(call, `,"arguments":{}`, "", 1), want: single},
		"null as the arguments":          {accept: both, body: strings.Replace(call, `{}`, "null", 1), want: single},
		"null as the parameters of list": {accept: both, body: `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, want: single},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, a.MCPURL+row.path, strings.NewReader(row.body)))(t)
			request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
			request.Header.Set("Content-Type", single)
			if row.kind != "" {
				request.Header.Set("Content-Type", row.kind)
			}
			if row.accept != "" {
				request.Header.Set("Accept", row.accept)
			}
			response, err := http.DefaultClient.Do(request)
			must.Do(t, err)
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			kind := response.Header.Get("Content-Type")
			if err != nil || response.StatusCode != http.StatusOK || kind != row.want || !strings.Contains(string(text), `"result"`) || strings.Contains(string(text), "isError") {
				t.Errorf("got %d %s %s (%v), want 200 %s with a result", response.StatusCode, kind, text, err, row.want)
			}
		})
	}
	for _, accept := range []string{events, both, "*/*"} {
		request := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, a.MCPURL, nil))(t)
		request.Header.Set("Authorization", "Bearer "+fakeservicetest.APIKey)
		request.Header.Set("Accept", accept)
		response, err := http.DefaultClient.Do(request)
		must.Do(t, err)
		_ = response.Body.Close()
		equal(t, "a stream of events outside of a session, as "+accept, response.StatusCode, http.StatusMethodNotAllowed)
	}
}
