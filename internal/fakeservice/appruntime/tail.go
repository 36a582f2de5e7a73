package appruntime

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// tail keeps the end of what is written to it.
type tail struct {
	limit int

	mu   sync.Mutex
	text []byte
	cut  bool
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - t.limit; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// String is the end of the log: whole lines, where it had to be cut.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.text
	if t.cut {
		if _, rest, found := bytes.Cut(text, []byte("\n")); found {
			text = rest
		}
	}
	if utf8.Valid(text) {
		return string(text)
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
