package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func FuzzErrorBody(f *testing.F) {
	f.Add(409, []byte(`{"code": "job_running", "detail": "busy"}`))
	f.Add(502, []byte("<html>"+strings.Repeat("é", 600)))
	f.Add(500, []byte{0xff, 0xfe})
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		target, _ := url.Parse("https://hosting.example/api/v1/x")
		err := newAPIError(Request{Method: "GET", Path: []string{"x"}}, target, &answer{status: status, header: http.Header{}, body: body}, &Secrets{})
		if err.Code == "not_found" && !bytes.Contains(body, []byte("not_found")) && !bytes.Contains(body, []byte(`\u00`)) {
			t.Errorf("the code of %q: got not_found, want one that the body has", body)
		}
		if text := err.Error(); !utf8.ValidString(text) && utf8.Valid(body) {
			t.Errorf("the error: got %q, want UTF-8", text)
		}
		if err.Code == "" && utf8.RuneCountInString(err.Detail) > maxForeignBody+1 && !json.Valid(body) {
			t.Errorf("characters of a foreign body: got %d, want at most %d", utf8.RuneCountInString(err.Detail), maxForeignBody+1)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"0", "-1", "7", "86400", "junk", "Fri, 02 Jan 2026 03:04:05 GMT", "99999999999999999999", "1e9", " 5 "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		wait := retryAfter(http.Header{"Retry-After": {value}, "Date": {"Fri, 02 Jan 2026 03:04:05 GMT"}})
		if wait < 0 || wait > retryAfterCap {
			t.Errorf("retryAfter(%q) = %s, want from 0s to %s", value, wait, retryAfterCap)
		}
	})
}

// unlikeHiding maps a text to characters that hiding never writes and that cannot form a
// URL. Any rest of a secret in the output then comes from the secret.
func unlikeHiding(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(hidden, r) && unicode.IsLetter(r):
			return unicode.ToUpper(r)
		case strings.ContainsRune(hidden+":@/", r):
			return '#'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

// FuzzSecrets hides two secrets in a text that contains each of them in every form, and
// checks that no part of them is left.
func FuzzSecrets(f *testing.F) {
	f.Add("canary-one", "canary-two", "before", " after")
	f.Add("a b&c<d", "quote\"and\nline", "", "")
	f.Add("aXbc", "bcaX", "aXb", "caXbcaX")
	f.Add("abab", "ab", "ab", "abab")
	f.Add("within it", "it", "with", "in")
	f.Add("1", "22", "1 ", " 22 122 1")
	f.Add("é", "éé", "é", "ééé")
	f.Fuzz(func(t *testing.T, one, two, before, after string) {
		one, two, before, after = unlikeHiding(one), unlikeHiding(two), unlikeHiding(before), unlikeHiding(after)
		var s Secrets
		s.Add(one, two)
		var text strings.Builder
		text.WriteString(before)
		for _, secret := range []string{one, two} {
			for _, form := range forms(secret) {
				text.WriteString(" " + form + " " + before + form + form + after + " ")
			}
		}
		text.WriteString(after)
		clean := s.Hide(text.String())
		for _, secret := range []string{one, two} {
			for _, form := range forms(secret) {
				if len(form) >= shortSecret && strings.Contains(clean, form) || isWordOf(clean, form) {
					t.Errorf("Hide(%q): got %q, want it without %q of %q", text.String(), clean, form, secret)
				}
			}
		}
		if one == "" && two == "" && clean != text.String() {
			t.Errorf("Hide(%q) without any secret: got %q, want no change", text.String(), clean)
		}
	})
}

// isWordOf reports whether a text contains a short secret as a separate word, between
// blanks.
func isWordOf(text, secret string) bool {
	if secret == "" || strings.ContainsFunc(secret, func(r rune) bool { return !partOfWord(r) }) {
		return false
	}
	return slices.Contains(strings.Split(text, " "), secret)
}
