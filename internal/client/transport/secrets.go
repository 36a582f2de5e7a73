package transport

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Secrets are the values that must not appear in a log line or an error. The service's
// words are shown to users, and a service may quote data that it received.
type Secrets struct {
	mu     sync.RWMutex
	values []string
	hosts  map[string]bool // of URLs that are shown without what follows the host
	// statements are SQL that an error must not quote.
	statements []string
}

const hidden = "(secret)"

// userInfo matches the password of any URL, known or not, even if it contains an @.
var userInfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*):[^\s@]+@(?:[^\s@/"']+@)*`)

// token matches the user of a URL without a password, which may be a token.
var token = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s/:@"']+@`)

// webURL matches a URL: its scheme, its host with a port, and what follows.
var webURL = regexp.MustCompile(`(?i)\b(https?://)(?:[^\s/?#"'<>@]*@)?([^\s/?#"'<>@]+)([/?#][^\s"'<>]*)`)

// shortSecret is the minimum length of values that are hidden everywhere. A shorter value
// is hidden only as a separate word: if each "1" were hidden, no text would be readable.
const shortSecret = 4

// Add hides values, and their forms inside a URL and inside JSON, in all later texts.
func (s *Secrets) Add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range values {
		if value == "" {
			continue
		}
		for _, form := range forms(value) {
			if form != "" { // of a value of control characters only
				s.insert(form)
			}
		}
	}
}

// browserSigns undoes the escapes that JavaScript's encodeURIComponent does not make.
var browserSigns = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// hexEscape matches an escaped byte of a URL.
var hexEscape = regexp.MustCompile(`%[0-9A-F]{2}`)

// forms returns the ways to write a value: unchanged, as plain text, inside a URL as Go and browsers write
// it, and inside JSON with and without HTML escaping.
func forms(value string) []string {
	query := url.QueryEscape(value)
	percent := strings.ReplaceAll(query, "+", "%20")
	forms := []string{value, PlainText(value)}
	for _, form := range []string{query, percent, browserSigns.Replace(percent), url.PathEscape(value)} {
		forms = append(forms, form, hexEscape.ReplaceAllStringFunc(form, strings.ToLower))
	}
	for _, html := range []bool{true, false} {
		var quoted strings.Builder
		encoder := json.NewEncoder(&quoted)
		encoder.SetEscapeHTML(html)
		if encoder.Encode(value) == nil {
			forms = append(forms, quoted.String()[1:quoted.Len()-2])
		}
	}
	return forms
}

// insert keeps the longest value first, so that a secret that is part of a longer one
// does not leave the rest of the longer one visible.
func (s *Secrets) insert(value string) {
	at := len(s.values)
	for i, known := range s.values {
		if known == value {
			return
		}
		if len(known) < len(value) && i < at {
			at = i
		}
	}
	s.values = append(s.values[:at], append([]string{value}, s.values[at:]...)...)
}

// AddURL hides a URL and its password.
func (s *Secrets) AddURL(raw string) {
	s.Add(raw)
	if u, err := url.Parse(raw); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			s.Add(password)
		}
	}
}

// longEnough is the minimum length of a part of a URL that is hidden without its host. A
// shorter one, such as /webhooks, is also an ordinary word.
const longEnough = 12

// AddEndpoint hides what follows the host of a URL, because that is the secret at many
// receivers of webhooks.
func (s *Secrets) AddEndpoint(raw string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		s.Add(raw)
		return
	}
	if u.User != nil {
		password, _ := u.User.Password()
		s.Add(password)
	}
	if rest := u.RequestURI(); rest != "/" {
		s.Add(u.Host + rest)
	}
	parts := append(strings.Split(u.Path, "/"), u.RequestURI(), u.Path, u.RawQuery, u.Fragment)
	for _, values := range u.Query() {
		parts = append(parts, values...)
	}
	if u.User != nil {
		parts = append(parts, u.User.Username()) // it may be a token
	}
	for _, part := range parts {
		if len(part) >= longEnough {
			s.Add(part)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hosts == nil {
		s.hosts = map[string]bool{}
	}
	s.hosts[strings.ToLower(u.Host)] = true
}

// hideRests hides what follows the known hosts of URLs in a text.
func (s *Secrets) hideRests(text string) string {
	if len(s.hosts) == 0 {
		return text
	}
	return webURL.ReplaceAllStringFunc(text, func(found string) string {
		parts := webURL.FindStringSubmatch(found)
		if rest := strings.TrimRight(parts[3], ".,;:)"); s.hosts[strings.ToLower(parts[2])] && rest != "/" {
			return parts[1] + parts[2] + "/" + hidden + strings.TrimPrefix(parts[3], rest)
		}
		return found
	})
}

// AddStatement hides SQL, and the parts of it that an error quotes. Postgres quotes the word at
// which it fails, also a password whose own quotes were forgotten.
func (s *Secrets) AddStatement(sql string) {
	s.Add(sql)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statements = append(s.statements, sql)
}

var quotedPart = regexp.MustCompile(`"[^"]+"`)

// hideQuotes hides the quoted parts of statements in a text.
func (s *Secrets) hideQuotes(text string) string {
	if len(s.statements) == 0 {
		return text
	}
	return quotedPart.ReplaceAllStringFunc(text, func(quoted string) string {
		part := strings.Trim(quoted, `"`)
		if slices.ContainsFunc(s.statements, func(sql string) bool { return strings.Contains(sql, part) }) {
			return `"` + hidden + `"`
		}
		return quoted
	})
}

// longField is the minimum length of a text in a JSON value that is hidden alone. A shorter one
// is often an ordinary word, such as a type.
const longField = 8

// addFields hides the texts in a JSON object or list, such as the key in a key file.
func (s *Secrets) addFields(value any) {
	switch value := value.(type) {
	case string:
		if len(value) >= longField {
			s.Add(value)
		}
	case []any:
		for _, element := range value {
			s.addFields(element)
		}
	case map[string]any:
		for _, member := range value {
			s.addFields(member)
		}
	}
}

// AddVariable hides the value of a variable, each of its lines, and the texts in it if it is
// JSON. A log may indent the lines, and may contain only the password of a URL.
func (s *Secrets) AddVariable(value string) {
	s.Add(value, strings.TrimSpace(value))
	var decoded any
	if json.Unmarshal([]byte(value), &decoded) == nil {
		s.addFields(decoded)
	}
	for line := range strings.Lines(value) {
		if line = strings.TrimSpace(line); len(line) >= shortSecret { // a bracket reveals nothing
			s.AddURL(line)
		}
	}
}

// Hide returns a text as plain text without the secrets. A control sequence within a secret
// would split it.
func (s *Secrets) Hide(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	text = s.hideQuotes(s.hideRests(PlainText(text)))
	for _, value := range s.values {
		if len(value) < shortSecret {
			text = hideWord(text, value)
		} else {
			text = strings.ReplaceAll(text, value, hidden)
		}
	}
	text = userInfo.ReplaceAllString(text, "$1:"+hidden+"@")
	return token.ReplaceAllString(text, "$1"+hidden+"@")
}

// HideVariables is like Hide, but also hides the values of an environment. A log may
// begin in the middle of a value.
func (s *Secrets) HideVariables(log string, variables map[string]string) string {
	s.mu.RLock()
	all := &Secrets{values: slices.Clone(s.values), hosts: maps.Clone(s.hosts), statements: s.statements}
	s.mu.RUnlock()
	for _, value := range slices.Sorted(maps.Values(variables)) {
		all.AddVariable(value)
	}
	return all.Hide(all.hideCut(PlainText(log)))
}

// hideCut hides the rest of a value at the beginning of a text.
func (s *Secrets) hideCut(text string) string {
	for _, value := range s.values {
		for cut := 1; cut <= len(value)-shortSecret; cut++ {
			if rest, found := strings.CutPrefix(text, value[cut:]); found {
				return hidden + rest
			}
		}
	}
	return text
}

// hideWord hides a value unless a letter or digit precedes or follows it.
func hideWord(text, value string) string {
	var out strings.Builder
	rest := text
	for before := ' '; ; {
		at := strings.Index(rest, value)
		if at < 0 {
			out.WriteString(rest)
			return out.String()
		}
		out.WriteString(rest[:at])
		if at > 0 {
			before, _ = utf8.DecodeLastRuneInString(rest[:at])
		}
		rest = rest[at+len(value):]
		after, _ := utf8.DecodeRuneInString(rest)
		if partOfWord(before) || partOfWord(after) {
			out.WriteString(value)
		} else {
			out.WriteString(hidden)
		}
		before, _ = utf8.DecodeLastRuneInString(value)
	}
}

func partOfWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// hideError returns an error whose text contains no secret, and which still works with
// errors.Is and errors.As.
func (s *Secrets) hideError(err error) error {
	text := err.Error()
	if clean := s.Hide(text); clean != text {
		return &cleanError{text: clean, err: err}
	}
	return err
}

type cleanError struct {
	text string
	err  error
}

func (e *cleanError) Error() string { return e.text }
func (e *cleanError) Unwrap() error { return e.err }
