package main

import "sync"

// tail keeps the end of its input, and may be read at any time.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// tailKept is the size of that end in bytes.
const tailKept = 32 << 10

func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if surplus := len(t.text) - tailKept; surplus > 0 {
		t.text = append(t.text[:0], t.text[surplus:]...)
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
