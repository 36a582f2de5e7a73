package process

import (
	"bytes"
	"strings"
	"sync"
)

// Tail keeps the end of its input. It is safe for concurrent use.
type Tail struct {
	limit int

	mu   sync.Mutex
	text []byte
	cut  bool
}

// NewTail returns a Tail with a limit in bytes.
func NewTail(limit int) *Tail { return &Tail{limit: limit} }

// Write never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - t.limit; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
		t.cut = true
	}
	return len(p), nil
}

// String returns the end of the input. If the beginning was cut, it consists of whole
// lines.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := t.text
	if t.cut {
		if _, rest, found := bytes.Cut(text, []byte("\n")); found {
			text = rest
		}
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
