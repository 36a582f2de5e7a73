package fakeservice_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// flow is a sign-in step by step. Its client is registered.
type flow struct {
	*api
	visitor          *fakeservicetest.Visitor
	client, verifier string
}

func newFlow(t *testing.T, opts ...func(*fakeservice.Options)) *flow {
	t.Helper()
	f := &flow{api: start(t, opts...), verifier: strings.Repeat("v", 43)}
	f.visitor = f.visit(t)
	f.client = f.register(`{"client_name": "Flow", "redirect_uris": ["` + callback + `"]}`)
	if strings.Contains(f.client, " ") {
		f.t.Fatalf("the registration: got %s, want an id", f.client)
	}
	return f
}

// register registers a client. The result is its id, or the status and the error.
func (f *flow) register(body string) string {
	f.t.Helper()
	request := must.Get(http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.RootURL+"/oauth/register",
		strings.NewReader(body)))(f.t)
	request.Header.Set("Content-Type", "application/json")
	status, got := f.send(request)
	if id, ok := got["client_id"].(string); ok {
		return id
	}
	return status
}

// send sends a request. The first result is the status and the error, if there is one.
func (f *flow) send(request *http.Request) (string, object) {
	f.t.Helper()
	status, _, text := send(f.t, request)
	var body object
	_ = json.Unmarshal([]byte(text), &body) // not every answer has a body
	if code, ok := body["error"].(string); ok {
		return strconv.Itoa(status) + " " + code, body
	}
	return strconv.Itoa(status), body
}

// with returns values with some of them replaced. An empty value removes one.
func with(values, changed url.Values) url.Values {
	for name, list := range changed {
		values[name] = list
		if len(list) == 0 {
			delete(values, name)
		}
	}
	return values
}

// request returns the parameters of a request for authorization.
func (f *flow) request(changed url.Values) url.Values {
	sum := sha256.Sum256([]byte(f.verifier))
	return with(url.Values{
		"client_id": {f.client}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"st"}, "resource": {f.MCPURL},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}, changed)
}

// page opens the consent page.
func (f *flow) page(changed url.Values) *fakeservicetest.Page {
	f.t.Helper()
	return f.visitor.Open("/portal/authorize?" + f.request(changed).Encode())
}

// code consents and returns the code.
func (f *flow) code() string {
	f.t.Helper()
	got := answerOf(f.page(nil).Submit("allow", nil))
	if got.Get("code") == "" || got.Get("state") != "st" || got.Get("iss") != f.RootURL {
		f.t.Fatalf("the consent: got %v, want a code, the state st and the issuer %s", got, f.RootURL)
	}
	return got.Get("code")
}

// post sends a form. The result is the status and the error, if there is one.
func (f *flow) post(path string, form url.Values) string {
	f.t.Helper()
	status, _ := f.postFor(path, form)
	return status
}

func (f *flow) postFor(path string, form url.Values) (string, object) {
	f.t.Helper()
	request := must.Get(http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.RootURL+path, strings.NewReader(form.Encode())))(f.t)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return f.send(request)
}

// exchangeForm returns the form that exchanges a code.
func (f *flow) exchangeForm(code string, changed url.Values) url.Values {
	return with(url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "client_id": {f.client}, "redirect_uri": {callback},
		"code_verifier": {f.verifier}, "resource": {f.MCPURL},
	}, changed)
}

func (f *flow) exchange(code string, changed url.Values) string {
	f.t.Helper()
	return f.post("/oauth/token", f.exchangeForm(code, changed))
}

func (f *flow) refreshForm(token string, changed url.Values) url.Values {
	return with(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {f.client}, "resource": {f.MCPURL}}, changed)
}

func (f *flow) refresh(token string, changed url.Values) string {
	f.t.Helper()
	return f.post("/oauth/token", f.refreshForm(token, changed))
}

// tokens signs in and returns the fields of the answer that are texts.
func (f *flow) tokens() map[string]string {
	f.t.Helper()
	return f.textsOf(f.exchangeForm(f.code(), nil))
}

func (f *flow) textsOf(form url.Values) map[string]string {
	f.t.Helper()
	status, got := f.postFor("/oauth/token", form)
	if status != "200" {
		f.t.Fatalf("the tokens: got %s %v, want 200", status, got)
	}
	texts := map[string]string{}
	for name, value := range got {
		if text, ok := value.(string); ok {
			texts[name] = text
		}
	}
	return texts
}

func mcpStatus(t *testing.T, a *api, token string) string {
	t.Helper()
	return statusOf(t, http.MethodPost, a.MCPURL, token)
}

// statusOf returns the status of a request with a bearer token, which lists tools if it is
// for the MCP server.
func statusOf(t *testing.T, method, address, token string) string {
	t.Helper()
	request := must.Get(http.NewRequestWithContext(t.Context(), method, address,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))(t)
	if method == http.MethodGet {
		request.Body, request.ContentLength = nil, 0
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	status, _, _ := send(t, request)
	return strconv.Itoa(status)
}
