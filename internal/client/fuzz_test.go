package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// decodes fuzzes the decoding of one kind of record. Any input must lead to an error or a
// record, and never to a panic. A decoded record must survive encoding and decoding.
func decodes[T any](f *testing.F, seeds ...string) {
	for _, seed := range append(seeds, `{}`, `null`, `[]`, `""`, `{"id": 7}`, `{"created_at": "never"}`) {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var record T
		if json.Unmarshal(raw, &record) != nil {
			return
		}
		if _, err := json.Marshal(record); err != nil && !strings.Contains(err.Error(), "year outside") {
			t.Errorf("%s was read and cannot be written: %v", raw, err)
		}
	})
}

func FuzzInstance(f *testing.F) {
	decodes[Instance](f, `{"id": "i", "engines": {"postgres": {"memory_mb": 512}}, "tags": null, "job_id": null}`,
		`{"engines": ["postgres"]}`, `{"engines": {"auth": true}}`, `{"usage": {"cpu_percent": 1e400}}`)
}

func FuzzJob(f *testing.F) {
	decodes[Job](f, `{"id": "j", "status": "failed", "progress": 40, "error": {"code": "c", "detail": "d"}}`, `{"target": null, "error": null}`)
}

func FuzzApp(f *testing.F) {
	decodes[App](f, `{"name": "a", "port": 3000, "env": {"A": "1"}, "links": null, "url": null}`)
}

func FuzzBuild(f *testing.F) {
	decodes[Build](f, `{"id": "b", "status": "successful", "error": null}`)
}

func FuzzConnection(f *testing.F) {
	decodes[Connection](f, `{"host": "h", "engines": {"postgres": {"owner_url": "postgresql://o:p@h/d"}, "redis": null}}`)
}

func FuzzPlans(f *testing.F) {
	decodes[Plans](f, `{"plans": [{"id": "p", "cpu": 0.5}], "engines": {"auth": {"floor_mb": 256, "port": null}}}`)
}

func FuzzPending(f *testing.F) {
	decodes[Pending](f, `{"job_id": "j"}`, `{"job": {"id": "j"}}`, `{"job": "j", "build_id": null}`, `{"id": "j", "operation": "reset", "progress": 0}`)
}

func FuzzCreated(f *testing.F) {
	decodes[createdAnswer](f, `{"id": "i", "status": "creating", "checkout_url": "https://c", "job": "j"}`, `{"id": "j", "operation": "create", "instance_id": "i"}`)
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(`{"builds": [{"id": "b"}], "next_cursor": "c"}`))
	f.Add([]byte(`[{"id": "b"}]`))
	f.Add([]byte(`{"builds": null}`))
	f.Fuzz(func(_ *testing.T, raw []byte) {
		page, err := decodePage[Build](raw, "builds")
		if err == nil {
			_, _ = pickBuild(page.items, "b")
		}
	})
}

func FuzzErrorBody(f *testing.F) {
	f.Add(409, []byte(`{"code": "job_running", "detail": "busy"}`))
	f.Add(502, []byte("<html>"+strings.Repeat("é", 600)))
	f.Add(500, []byte{0xff, 0xfe})
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		target, _ := url.Parse("https://hosting.example/api/v1/x")
		err := newAPIError(request{method: "GET", path: []string{"x"}}, target, &answer{status: status, header: http.Header{}, body: body}, &secrets{})
		if errors.Is(err, ErrNotFound) && !bytes.Contains(body, []byte("not_found")) && !bytes.Contains(body, []byte(`\u00`)) {
			t.Errorf("%q is the service's word that something is gone", body)
		}
		if text := err.Error(); !utf8.ValidString(text) && utf8.Valid(body) {
			t.Errorf("%q is not UTF-8", text)
		}
		if err.Code == "" && utf8.RuneCountInString(err.Detail) > maxForeignBody+1 && !json.Valid(body) {
			t.Errorf("%d characters of a foreign body", utf8.RuneCountInString(err.Detail))
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
			t.Errorf("%q is a wait of %s", value, wait)
		}
	})
}

func FuzzNextPoll(f *testing.F) {
	f.Add(int64(time.Second), int64(time.Minute), 5)
	f.Fuzz(func(t *testing.T, elapsed, total int64, progress int) {
		if elapsed < 0 || total < 0 || elapsed > int64(time.Hour)*1000 || total > int64(time.Hour)*1000 {
			return
		}
		if delay := NextPoll(time.Duration(elapsed), time.Duration(total), progress); delay < FirstPoll || delay > longestDelay {
			t.Errorf("after %d of %d at %d %%: %s", elapsed, total, progress, delay)
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
		var s secrets
		s.add(one, two)
		var text strings.Builder
		text.WriteString(before)
		for _, secret := range []string{one, two} {
			for _, form := range forms(secret) {
				text.WriteString(" " + form + " " + before + form + form + after + " ")
			}
		}
		text.WriteString(after)
		clean := s.hide(text.String())
		for _, secret := range []string{one, two} {
			for _, form := range forms(secret) {
				if len(form) >= shortSecret && strings.Contains(clean, form) || isWordOf(clean, form) {
					t.Errorf("%q of %q is left in %q, of %q", form, secret, clean, text.String())
				}
			}
		}
		if one == "" && two == "" && clean != text.String() {
			t.Errorf("%q became %q without any secret", text.String(), clean)
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
