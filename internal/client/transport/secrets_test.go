package transport

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

func TestHide(t *testing.T) {
	for name, row := range map[string]struct {
		secrets    []string
		text, want string
	}{
		"none":                           {nil, "text", "text"},
		"empty":                          {[]string{""}, "text", "text"},
		"each time":                      {[]string{"secret-1"}, "secret-1, secret-1secret-1", "(secret), (secret)(secret)"},
		"one within another":             {[]string{"abcd", "xabcdx"}, "xabcdx abcd", "(secret) (secret)"},
		"one within another, turned":     {[]string{"xabcdx", "abcd"}, "xabcdx abcd", "(secret) (secret)"},
		"in a URL's query":               {[]string{"a b&c"}, "?x=a+b%26c", "?x=(secret)"},
		"in a URL's path":                {[]string{"a b/c"}, "/a%20b%2Fc", "/(secret)"},
		"in a URL, as browsers write":    {[]string{"p@ss w/rd+x="}, "?t=p%40ss%20w%2Frd%2Bx%3D", "?t=(secret)"},
		"in a URL, in lower case":        {[]string{"p@ss w/rd+x="}, "?t=p%40ss%20w%2frd%2bx%3d", "?t=(secret)"},
		"in a URL, with signs":           {[]string{"it's a (b)!*"}, "?t=it's%20a%20(b)!*", "?t=(secret)"},
		"in JSON":                        {[]string{"a\"b\nc"}, `{"x": "a\"b\nc"}`, `{"x": "(secret)"}`},
		"in JSON, as others escape":      {[]string{"a<b&c"}, `{"x": "a<b&c"}`, `{"x": "(secret)"}`},
		"in JSON, quoted by others":      {[]string{"a\"<b"}, `{"x": "a\"<b"}`, `{"x": "(secret)"}`},
		"in JSON, as Go escapes":         {[]string{"a<b&c"}, `{"x": "a\u003cb\u0026c"}`, `{"x": "(secret)"}`},
		"split by a control sequence":    {[]string{"secret-1"}, "sec\x1b[0mret-1", "(secret)"},
		"split by control characters":    {[]string{"secret-1"}, "s\x00ecr\r\x08et-1", "(secret)"},
		"with line endings":              {[]string{"one\r\ntwo"}, "one\r\ntwo, one\ntwo", "(secret), (secret)"},
		"of control characters":          {[]string{"\r\x00"}, "a\r\x00b", "ab"},
		"a short one, as a word":         {[]string{"abc"}, "the abc, (abc)", "the (secret), ((secret))"},
		"a short one, within a word":     {[]string{"ab"}, "cabin ab1 éab", "cabin ab1 éab"},
		"a short one, at both ends":      {[]string{"1"}, "1 of 11 is 1", "(secret) of 11 is (secret)"},
		"a short one, each time":         {[]string{"1"}, "1 1 1", "(secret) (secret) (secret)"},
		"a short one of signs":           {[]string{"%%"}, "100%% of %%", "100%% of (secret)"},
		"a password of a URL":            {nil, "at redis://u:p4ss@h:1/0 now", "at redis://u:(secret)@h:1/0 now"},
		"a password with an at sign":     {nil, "redis://u:p@ss@h:1/0", "redis://u:(secret)@h:1/0"},
		"passwords of two URLs":          {nil, "redis://u:a@h nats://v:b@h", "redis://u:(secret)@h nats://v:(secret)@h"},
		"a URL without a password":       {nil, "https://h:8080/x?mail=1", "https://h:8080/x?mail=1"},
		"a URL without a user":           {nil, "redis://:p4ss@h:1", "redis://:(secret)@h:1"},
		"a URL with a port and an email": {nil, "https://h:80 and a@b", "https://h:80 and a@b"},
	} {
		var s Secrets
		s.Add(row.secrets...)
		if got := s.Hide(row.text); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// At many receivers of webhooks, the URL is the secret. A service may quote it whole, in part
// or in its own form.
func TestEndpointsAreHidden(t *testing.T) {
	const slack = "https://hooks.example/services/T000/B000/canary"
	for name, row := range map[string]struct{ endpoint, text, want string }{
		"whole":                  {slack, "url " + slack + ".", "url https://hooks.example/(secret)."},
		"with another case":      {slack, "url HTTPS://Hooks.Example/services/T000/B000/canary/ failed", "url HTTPS://Hooks.Example/(secret) failed"},
		"escaped":                {"https://hooks.example/a b/canary", "url https://hooks.example/a%20b/canary", "url https://hooks.example/(secret)"},
		"its path":               {slack, "the path /services/T000/B000/canary is not there", "the path (secret) is not there"},
		"without its scheme":     {"https://hooks.example/c4n4ry", "hooks.example/c4n4ry is not there", "(secret) is not there"},
		"a short path":           {"https://hooks.example/c4n4ry", "\"https://hooks.example/c4n4ry\" is refused", "\"https://hooks.example/(secret)\" is refused"},
		"its query":              {"https://hooks.example?token=canary-of-a-query", "the query token=canary-of-a-query", "the query (secret)"},
		"a value of its query":   {"https://hooks.example/?a=1&token=canary-of-a-query", "canary-of-a-query is no token", "(secret) is no token"},
		"its user":               {"https://user:canary@hooks.example/", "login of canary", "login of (secret)"},
		"a token as its user":    {"https://canary-of-a-user@hooks.example", "https://canary-of-a-user@hooks.example and canary-of-a-user", "https://(secret)@hooks.example and (secret)"},
		"a user that is a word":  {"https://api:canary@hooks.example", "https://api:canary@hooks.example in /api/v1: canary", "https://api:(secret)@hooks.example in /api/v1: (secret)"},
		"its fragment":           {"https://hooks.example/#canary-of-a-fragment", "at #canary-of-a-fragment", "at #(secret)"},
		"its host alone":         {slack, "https://hooks.example does not answer", "https://hooks.example does not answer"},
		"another host":           {slack, "https://portal.example/checkout/1", "https://portal.example/checkout/1"},
		"a token of no endpoint": {"https://hooks.example", "https://canary@code.example/acme/web", "https://(secret)@code.example/acme/web"},
		"a path that is a word":  {"https://hooks.example/webhooks", "see POST /webhooks", "see POST /webhooks"},
		"a host with a port":     {"https://hooks.example:8443/c4n4ry", "https://hooks.example:8443/c4n4ry?a", "https://hooks.example:8443/(secret)"},
		"an endpoint of no URL":  {"canary", "canary", "(secret)"},
		"two URLs":               {slack, slack + ", " + slack, "https://hooks.example/(secret), https://hooks.example/(secret)"},
	} {
		var s Secrets
		s.AddEndpoint(row.endpoint)
		if got := s.Hide(row.text); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

func TestPasswordsOfAConnectionAreHidden(t *testing.T) {
	const password = "p@ss/w:rd%"
	var s Secrets
	s.AddURL("postgresql://owner:" + url.QueryEscape(password) + "@h:5432/db")
	for _, text := range []string{password, "postgresql://owner:" + url.QueryEscape(password) + "@h:5432/db", url.QueryEscape(password), url.PathEscape(password)} {
		if got := s.Hide("<" + text + ">"); strings.Contains(got, "ss") || strings.Contains(got, "rd") {
			t.Errorf("Hide(%q): got %q, want nothing of the secret", text, got)
		}
	}
}

// Hiding changes the text of an error, but not its identity.
func TestHiddenErrorsStayWhatTheyAre(t *testing.T) {
	var s Secrets
	s.Add("a-canary")
	err := s.hideError(fmt.Errorf("with a-canary: %w", context.DeadlineExceeded))
	if strings.Contains(err.Error(), "canary") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hideError: got %v, want context.DeadlineExceeded without the canary", err)
	}
	plain := errors.New("plain")
	if s.hideError(plain) != plain {
		t.Error("an error without a secret is wrapped")
	}
}

func TestHideVariables(t *testing.T) {
	const key = "-----BEGIN KEY-----\nMIIEow\n}\n-----END KEY-----\n"
	for name, row := range map[string]struct {
		value, log, want string
	}{
		"none":                       {"", "a log", "a log"},
		"as it is":                   {"tok-123", "export T=tok-123", "export T=(secret)"},
		"with a line's end":          {"tok-123\n", "export T=tok-123", "export T=(secret)"},
		"short, with a line's end":   {"abc\n", "T=abc, abcd", "T=(secret), abcd"},
		"short":                      {"1", "exit status 1 at line 11", "exit status (secret) at line 11"},
		"blank":                      {" ", "a log", "a log"},
		"of several lines":           {key, "key: " + key, "key: (secret)"},
		"of several lines, indented": {key, "#1 -----BEGIN KEY-----\n#1 MIIEow\n#1 }\n#1 -----END KEY-----", "#1 (secret)\n#1 (secret)\n#1 }\n#1 (secret)"},
		"cut off":                    {"tok-123456", "-123456 is no token", "(secret) is no token"},
		"cut off, too short to tell": {"tok-123", "123 steps", "123 steps"},
		"quoted":                     {"tok\"123", `{"T": "tok\"123"}`, `{"T": "(secret)"}`},
		"a URL's password":           {"postgresql://shop:pw-4711@db.example/main", "shop with pw-4711 failed", "shop with (secret) failed"},
		"a URL's password, encoded":  {"redis://:p%2Fw%3A4@db.example\n", "p/w:4 or p%2Fw%3A4", "(secret) or (secret)"},
		"a URL's password, in lines": {"A=1\nredis://u:pw-4711@db.example", "AUTH pw-4711", "AUTH (secret)"},
		"a URL without a password":   {"https://shop.example/main", "shop at shop.example", "shop at shop.example"},
	} {
		if got := new(Secrets).HideVariables(row.log, map[string]string{"T": row.value}); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// Postgres quotes the word at which it fails. In a script that must not be shown, that word may
// be a password without its quotes.
func TestQuotedPartsOfAStatementAreHidden(t *testing.T) {
	var s Secrets
	s.AddStatement("create role shop password CANARY1;\nalter role \"shop\" password \"CANARY two\";\nselect 'CANARY3")
	for text, want := range map[string]string{
		`syntax error at or near "CANARY1" (SQLSTATE 42601)`:            `syntax error at or near "(secret)" (SQLSTATE 42601)`,
		`syntax error at or near ""CANARY two"" (SQLSTATE 42601)`:       `syntax error at or near ""(secret)"" (SQLSTATE 42601)`,
		`unterminated quoted string at or near "'CANARY3"`:              `unterminated quoted string at or near "(secret)"`,
		`permission denied for database "main"`:                         `permission denied for database "main"`,
		`duplicate key value violates unique constraint "users_pkey"`:   `duplicate key value violates unique constraint "users_pkey"`,
		`the answer was {"code": "sql_error", "detail": "near CANARY"}`: `the answer was {"code": "sql_error", "detail": "near CANARY"}`,
	} {
		if got := s.Hide(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

// A build may print one field of a key file that is one variable.
func TestFieldsOfAJSONVariableAreHidden(t *testing.T) {
	var s Secrets
	s.AddVariable(`{"type": "key", "client": {"private_key": "CANARY-0123"}, "list": ["CANARY-4567", 5, null]}`)
	const want = "type key, (secret) and (secret), 5"
	if got := s.Hide("type key, CANARY-0123 and CANARY-4567, 5"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
