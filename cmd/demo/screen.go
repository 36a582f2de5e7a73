package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/terminal"
)

// A screen shows the progress of the demo. A finished step is a permanent line. On a
// terminal the last line shows the current step and is redrawn as it changes. Without a
// terminal, a long step prints a line when it begins.
type screen struct {
	out io.Writer
	// columns returns the width of the terminal, or 0 without a terminal.
	columns func() int
	now     func() time.Time
	style   terminal.Style
	// verbose shows details.
	verbose bool

	mu sync.Mutex
	// doing is the current step ("" between steps), hint its expected duration, and detail
	// its current work.
	doing, hint, detail string
	// began is the start of the step, and marked the time of its last line.
	began, marked time.Time
	// drawn reports whether the cursor is behind a line that will be redrawn.
	drawn bool
	frame int
	// stopping reports whether the demo was interrupted: steps print nothing then.
	stopping bool
	// partial is an unfinished line of a program's output.
	partial bytes.Buffer
}

// begin starts a step. about is its expected duration, or 0 for a short step.
func (s *screen) begin(about time.Duration, format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return
	}
	s.doing, s.hint, s.detail = fmt.Sprintf(format, arguments...), "", ""
	if about > 0 {
		s.hint = ", about " + rounded(about).String()
	}
	s.began = s.now()
	s.marked = s.began
	if about > 0 && s.columns() == 0 {
		s.writeLine("…", "", s.doing+s.hint)
	}
	s.draw()
}

// done prints the result of a step, with the time since it began or since its previous
// line.
func (s *screen) done(format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return
	}
	now := s.now()
	s.writeLine("✓", seconds(now.Sub(s.marked)), fmt.Sprintf(format, arguments...))
	s.marked = now
	s.draw()
}

// end ends the step. The line of a failed step stays.
func (s *screen) end(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return
	}
	if failed && s.doing != "" {
		s.writeLine("✗", seconds(s.now().Sub(s.began)), s.doing)
	}
	s.doing, s.hint, s.detail = "", "", ""
	s.draw()
}

// interrupted shows that the current work is being stopped, which takes a moment.
func (s *screen) interrupted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	stopping := "Stopping the fake"
	if s.doing != "" {
		stopping = "Stopping: Terraform saves what it has, then the fake ends"
	}
	s.doing, s.hint, s.detail, s.began = stopping, "", "", s.now()
	if s.columns() == 0 {
		s.writeLine("…", "", s.doing)
	}
	s.draw()
}

// say prints a permanent line.
func (s *screen) say(format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(fmt.Sprintf(format, arguments...))
	s.draw()
}

// note prints a permanent line that belongs to the one above it.
func (s *screen) note(format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return
	}
	s.writeLine(" ", "", fmt.Sprintf(format, arguments...))
	s.draw()
}

// aside is note for what only --verbose shows.
func (s *screen) aside(format string, arguments ...any) {
	if s.verbose {
		s.note(format, arguments...)
	}
}

// Write prints a program's output, line by line, above the current step.
func (s *screen) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.partial.Write(text)
	if end := bytes.LastIndexByte(s.partial.Bytes(), '\n'); end >= 0 {
		s.write(string(s.partial.Next(end)))
		s.partial.Next(1)
		s.draw()
	}
	return len(text), nil
}

// tell shows the current work of the step. Only a terminal shows it.
func (s *screen) tell(detail string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detail = detail
	s.draw()
}

// animate updates the last line on a terminal until it is stopped. Then only permanent
// lines remain.
func (s *screen) animate() (stop func()) {
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		frames := time.NewTicker(frameLength)
		defer frames.Stop()
		for {
			select {
			case <-frames.C:
				s.tick()
			case <-ended:
				return
			}
		}
	}()
	return func() {
		close(ended)
		<-stopped
		s.mu.Lock()
		defer s.mu.Unlock()
		s.doing, s.hint, s.detail = "", "", ""
		s.clear()
	}
}

// frameLength is the duration of a frame of the last line.
const frameLength = 125 * time.Millisecond

// tick redraws the last line with the new time.
func (s *screen) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame++
	s.draw()
}

// write prints permanent lines. The caller holds the lock.
func (s *screen) write(text string) {
	s.clear()
	_, _ = fmt.Fprintln(s.out, text) // a closed terminal cannot show an error
}

// writeLine prints a permanent line in the width of the screen. The caller holds the lock.
func (s *screen) writeLine(mark, took, text string) {
	columns := s.columns()
	if columns == 0 {
		columns = terminal.Columns
	}
	whole := wrapped(mark, took, text, columns)
	switch mark {
	case "✓":
		whole = s.style.Good(mark) + strings.TrimPrefix(whole, mark)
	case "✗":
		whole = s.style.Bad(mark) + strings.TrimPrefix(whole, mark)
	}
	s.write(whole)
}

func (s *screen) clear() {
	if s.drawn {
		_, _ = fmt.Fprint(s.out, "\r\x1b[K")
		s.drawn = false
	}
}

// draw prints the current step. Between steps it prints the fake's work, if any.
func (s *screen) draw() {
	columns := s.columns()
	if columns == 0 {
		return
	}
	if s.doing == "" && s.detail == "" {
		s.clear()
		return
	}
	elapsed := ""
	if s.doing != "" {
		elapsed = seconds(s.now().Sub(s.began))
	}
	_, _ = fmt.Fprintf(s.out, "\r%s\x1b[K", goingOn(s.frame, elapsed, s.doing+s.hint, s.detail, columns))
	s.drawn = true
}
