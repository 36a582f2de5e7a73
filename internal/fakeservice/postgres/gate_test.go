package postgres

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/outside"
)

// echo is a server that answers each line with itself.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

func openGate(t *testing.T, log *slog.Logger) *gate {
	t.Helper()
	g, err := listen(t.Context(), outside.Addresses{}, "127.0.0.1", log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.close)
	return g
}

// visit sends a line through the gate and returns the open connection.
func visit(t *testing.T, g *gate, from string) (net.Conn, error) {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", g.listener.Addr().String())
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { conn.Close() })
	return conn, say(conn)
}

// say sends a line and waits for it to come back.
func say(conn net.Conn) error {
	if _, err := fmt.Fprintln(conn, "hello"); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err == nil && line != "hello\n" {
		err = fmt.Errorf("the answer is %q", line)
	}
	return err
}

// lines is a writer that keeps what is logged.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Contains(l.text.String(), text)
}

func TestGate(t *testing.T) {
	t.Parallel()
	log := &lines{}
	g := openGate(t, slog.New(slog.NewTextHandler(log, nil)))
	if _, err := visit(t, g, "127.0.0.1"); err == nil {
		t.Error("a gate that leads nowhere let someone in")
	}
	g.lead(echo(t))
	if _, err := visit(t, g, "127.0.0.7"); err != nil {
		t.Errorf("an open gate met %v", err)
	}
	g.allow([]netip.Prefix{netip.MustParsePrefix("127.0.0.8/31"), netip.MustParsePrefix("2001:db8::/32")})
	inside, err := visit(t, g, "127.0.0.8")
	if err != nil {
		t.Errorf("an address in the list met %v", err)
	}
	// A reset tells of a firewall. An orderly end would look like a fault.
	if _, err := visit(t, g, "127.0.0.7"); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("an address outside the list met %v", err)
	}
	if !log.has("not in the allowlist") || !log.has("127.0.0.7") {
		t.Error("nobody was told of the refused connection")
	}
	if err := say(inside); err != nil {
		t.Errorf("an open connection met %v", err)
	}
	g.allow([]netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")})
	if err := say(inside); err == nil {
		t.Error("a connection that is not allowed any more lives on")
	}
	g.allow(nil)
	again, err := visit(t, g, "127.0.0.7")
	if err != nil {
		t.Errorf("an empty list met %v", err)
	}
	g.close()
	if err := say(again); err == nil {
		t.Error("a connection lives on when the gate is closed")
	}
	if _, err := visit(t, g, "127.0.0.7"); err == nil {
		t.Error("a closed gate let someone in")
	}
}

// An end in one direction is passed on, and the other goes on until its own.
func TestGatePassesHalfClose(t *testing.T) {
	t.Parallel()
	g := openGate(t, slog.New(slog.DiscardHandler))
	g.lead(echo(t))
	conn, err := net.Dial("tcp", g.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "all of it"); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(conn); err != nil || string(text) != "all of it" {
		t.Errorf("it came back as %q, %v", text, err)
	}
}

// A port that is taken makes way for a free one.
func TestGateTakesAFreePort(t *testing.T) {
	t.Parallel()
	first := openGate(t, slog.New(slog.DiscardHandler))
	second, err := listen(t.Context(), outside.Addresses{}, "127.0.0.1", slog.New(slog.DiscardHandler), first.port())
	if err != nil {
		t.Fatal(err)
	}
	defer second.close()
	if second.port() == first.port() || second.port() == 0 {
		t.Errorf("both are at port %d", first.port())
	}
}
