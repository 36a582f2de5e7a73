package main

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// pty is a terminal that records the output of programs.
type pty struct {
	// terminal is for the programs, and keyboard types on it.
	terminal, keyboard *os.File

	mu    sync.Mutex
	shown bytes.Buffer
	more  chan struct{}
	ended chan struct{}
}

func openPTY(t *testing.T, columns uint16) *pty {
	t.Helper()
	keyboard := must.Get(os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0))(t)
	t.Cleanup(func() { _ = keyboard.Close() })
	var number int
	must.Do(t, control(keyboard, func(fd int) (err error) {
		number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	}))
	terminal := must.Get(os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|syscall.O_NOCTTY, 0))(t)
	t.Cleanup(func() { _ = terminal.Close() })
	p := &pty{terminal: terminal, keyboard: keyboard, more: make(chan struct{}, 1), ended: make(chan struct{})}
	p.resize(t, columns)
	go p.watch()
	return p
}

// control calls a function with a file's descriptor. File.Fd would put the file into
// blocking mode permanently: reads would block, and a close would wait for them.
func control(file *os.File, do func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var done error
	err = raw.Control(func(fd uintptr) { done = do(int(fd)) })
	return errors.Join(err, done)
}

// resize changes the width of the terminal's window.
func (p *pty) resize(t *testing.T, columns uint16) {
	t.Helper()
	must.Do(t, control(p.keyboard, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: columns})
	}))
}

// watch reads until all programs have closed the terminal.
func (p *pty) watch() {
	defer close(p.ended)
	buffer := make([]byte, 4096)
	for {
		n, err := p.keyboard.Read(buffer)
		p.mu.Lock()
		p.shown.Write(buffer[:n])
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (p *pty) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.String()
}

// end returns the end of the output, with readable control characters.
func (p *pty) end() string {
	text := p.text()
	return strconv.Quote(text[max(0, len(text)-2000):])
}

// until waits until the output meets a condition.
func (p *pty) until(t *testing.T, what string, fits func(text string) bool) {
	t.Helper()
	deadline := time.After(machine.Patience)
	for !fits(p.text()) {
		select {
		case <-p.more:
		case <-p.ended:
			if !fits(p.text()) {
				t.Fatalf("the terminal: got it closed, want first %s:\n%s", what, p.end())
			}
		case <-deadline:
			t.Fatalf("the terminal after %s: got\n%s\nwant %s", machine.Patience, p.end(), what)
		}
	}
}

// close closes the test's own side, so that the watcher ends with the program.
func (p *pty) close(t *testing.T) {
	t.Helper()
	must.Report(t, p.terminal.Close())
	<-p.ended
}

// stays returns the final lines on the screen: for each line, the last text drawn.
func stays(text string) []string {
	var lines []string
	for _, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		line = line[strings.LastIndexByte(line, '\r')+1:]
		lines = append(lines, strings.ReplaceAll(line, "\x1b[K", ""))
	}
	return lines
}

func TestScreenOnAPTY(t *testing.T) {
	t.Parallel()
	p := openPTY(t, 32)
	if width := columns(p.terminal); width != 32 {
		t.Fatalf("columns of the terminal: got %d, want 32", width)
	}
	s := &screen{out: p.terminal, columns: func() int { return columns(p.terminal) }, now: time.Now}
	still := s.animate()
	s.begin(45*time.Second, "Apply")
	s.tell("create 40 %")
	p.until(t, "a spinner that turns", func(text string) bool {
		return strings.Contains(text, spinner[1]) && strings.Contains(text, spinner[3])
	})
	p.resize(t, 24)
	p.until(t, "a line of the new width", func(text string) bool { return strings.Contains(text, "s  Apply, about…\x1b[K") })
	s.done("It is deployed")
	s.end(false)
	still()
	s.say("All of it held.")
	p.close(t)

	if !strings.Contains(p.text(), "Apply, about 45s · c…\x1b[K") {
		t.Errorf("the output: got\n%q\nwant a line of the first width", p.text())
	}
	lines := stays(p.text())
	if len(lines) != 3 || !strings.HasSuffix(lines[0], "s  It is deployed") || lines[1] != "All of it held." || lines[2] != "" {
		t.Errorf("the last lines: got %q, want the time of the deployment, \"All of it held.\" and an empty line", lines)
	}
}

func TestColumnsOfNoTerminal(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	null := must.Get(os.Open(os.DevNull))(t)
	defer null.Close()
	for name, file := range map[string]*os.File{"a pipe": writer, "the null device": null} {
		if width := columns(file); width != 0 {
			t.Errorf("columns of %s: got %d, want 0", name, width)
		}
	}
}
