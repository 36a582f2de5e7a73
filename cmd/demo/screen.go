package main

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// A screen is where the demo tells what it does. What is over is a line that stays. On a
// terminal the last line is what goes on, drawn anew as it changes. Elsewhere a step that
// takes long has a line when it begins, so that nobody wonders.
type screen struct {
	out io.Writer
	// columns is how wide the terminal is; 0 says that there is none.
	columns func() int
	now     func() time.Time

	mu sync.Mutex
	// doing is the step that goes on, "" between steps, hint how long it takes, and
	// detail what it does now.
	doing, hint, detail string
	// began is when the step began, and marked when its last line was written.
	began, marked time.Time
	// drawn tells that the cursor is behind a line that does not stay.
	drawn bool
	frame int
	// stopping tells that the demo was interrupted: steps have no more to say then.
	stopping bool
	// partial is a line of a program's that has yet to end.
	partial bytes.Buffer
}

// begin starts a step. about is how long it takes, or 0 for moments.
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
		s.write(line("…", "", s.doing+s.hint))
	}
	s.draw()
}

// done says what a step has come to, with the time since it began, or since it said
// something before.
func (s *screen) done(format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return
	}
	now := s.now()
	s.write(line("✓", seconds(now.Sub(s.marked)), fmt.Sprintf(format, arguments...)))
	s.marked = now
	s.draw()
}

// end leaves the step. One that failed keeps its line.
func (s *screen) end(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return
	}
	if failed && s.doing != "" {
		s.write(line("✗", seconds(s.now().Sub(s.began)), s.doing))
	}
	s.doing, s.hint, s.detail = "", "", ""
	s.draw()
}

// interrupted says that what goes on is cut short, which takes a moment.
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
		s.write(line("…", "", s.doing))
	}
	s.draw()
}

// say prints a line that stays.
func (s *screen) say(format string, arguments ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.write(fmt.Sprintf(format, arguments...))
	s.draw()
}

// Write lets a program's output through, line by line, above what goes on.
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

// tell says what the step does now. Only a terminal shows it.
func (s *screen) tell(detail string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.detail = detail
	s.draw()
}

// animate keeps the last line alive on a terminal, until it is told to stop. Then nothing
// but lines that stay are there.
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

// frameLength is how long a frame of the last line is seen.
const frameLength = 125 * time.Millisecond

// tick draws the last line anew, as time has passed.
func (s *screen) tick() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.frame++
	s.draw()
}

// write prints lines that stay. Who calls it holds the lock.
func (s *screen) write(text string) {
	s.clear()
	_, _ = fmt.Fprintln(s.out, text) // a terminal that has gone has nobody to tell
}

func (s *screen) clear() {
	if s.drawn {
		_, _ = fmt.Fprint(s.out, "\r\x1b[K")
		s.drawn = false
	}
}

// draw prints what goes on. Between steps there is something only while the fake works.
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
