package client

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// secrets are the values that may appear in no log line and no error. The
// service's words are shown to users, and a service can quote what it was sent.
type secrets struct {
	mu     sync.RWMutex
	values []string
}

const hidden = "(secret)"

// userInfo finds the password of any URL, known or not, and an @ in it too.
var userInfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*):[^\s@]+@(?:[^\s@/"']+@)*`)

// shortSecret is the length under which a value is hidden only where it stands
// as a word of its own: hiding each "1" would hide everything else.
const shortSecret = 4

// add hides a value from now on, and its forms inside a URL and inside JSON.
func (s *secrets) add(values ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range values {
		if value == "" {
			continue
		}
		for _, form := range forms(value) {
			s.insert(form)
		}
	}
}

// forms are how a value is written: as it is, inside a URL, and inside JSON by
// those who escape what HTML needs and by those who do not.
func forms(value string) []string {
	forms := []string{value, url.QueryEscape(value), url.PathEscape(value)}
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

// insert keeps the longest first, so that a secret within another leaves no
// rest of the longer one.
func (s *secrets) insert(value string) {
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

// addURL hides the password of a URL and the URL itself.
func (s *secrets) addURL(raw string) {
	s.add(raw)
	if u, err := url.Parse(raw); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			s.add(password)
		}
	}
}

func (s *secrets) hide(text string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, value := range s.values {
		if len(value) < shortSecret {
			text = hideWord(text, value)
		} else {
			text = strings.ReplaceAll(text, value, hidden)
		}
	}
	return userInfo.ReplaceAllString(text, "$1:"+hidden+"@")
}

// hideWord hides a value where neither a letter nor a digit stands beside it.
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

// hideError gives an error whose text holds no secret, and which errors.Is and
// errors.As still see through.
func (s *secrets) hideError(err error) error {
	text := err.Error()
	if clean := s.hide(text); clean != text {
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
