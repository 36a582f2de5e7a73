package allowproxy

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http/httptest"
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/processes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// echo is a server that returns each line.
func echo(t *testing.T) string {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
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

func openProxy(t *testing.T, log *slog.Logger) *Proxy {
	t.Helper()
	p := must.Get(Open(t.Context(), Options{Host: "127.0.0.1", Engine: "echo", Logger: log}))(t)
	t.Cleanup(p.Close)
	return p
}

// visit sends a line through the proxy and returns the open connection.
func visit(t *testing.T, p *Proxy, from string) (net.Conn, error) {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.Dial("tcp", p.listener.Addr().String())
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

func TestGate(t *testing.T) {
	t.Parallel()
	log := &processes.Output{}
	p := openProxy(t, slog.New(slog.NewTextHandler(log, nil)))
	if _, err := visit(t, p, "127.0.0.1"); err == nil {
		t.Error("a proxy that leads nowhere let someone in")
	}
	p.Lead("tcp", echo(t))
	if _, err := visit(t, p, "127.0.0.7"); err != nil {
		t.Errorf("an open proxy: got error %v, want none", err)
	}
	p.Allow([]netip.Prefix{netip.MustParsePrefix("127.0.0.8/31"), netip.MustParsePrefix("2001:db8::/32")})
	inside, err := visit(t, p, "127.0.0.8")
	if err != nil {
		t.Errorf("an address in the list: got error %v, want none", err)
	}
	// A reset indicates a firewall. An orderly end would look like a fault.
	if _, err := visit(t, p, "127.0.0.7"); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("an address outside the list: got error %v, want a reset connection", err)
	}
	if !strings.Contains(log.String(), "not in the allowlist") || !strings.Contains(log.String(), "127.0.0.7") {
		t.Error("the log does not report the refused connection from 127.0.0.7")
	}
	if err := say(inside); err != nil {
		t.Errorf("an open connection whose address is in the list: got error %v, want none", err)
	}
	p.Allow([]netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")})
	if err := say(inside); err == nil {
		t.Error("a connection that is no longer allowed: got no error, want one")
	}
	p.Allow(nil)
	again, err := visit(t, p, "127.0.0.7")
	if err != nil {
		t.Errorf("an empty list: got error %v, want none", err)
	}
	p.Close()
	if err := say(again); err == nil {
		t.Error("a connection when the proxy is closed: got no error, want one")
	}
	if _, err := visit(t, p, "127.0.0.7"); err == nil {
		t.Error("a closed proxy let someone in")
	}
}

// The end of one direction is passed on, and the other direction continues until its own
// end.
func TestGatePassesHalfClose(t *testing.T) {
	t.Parallel()
	p := openProxy(t, slog.New(slog.DiscardHandler))
	p.Lead("tcp", echo(t))
	conn := must.Get(net.Dial("tcp", p.listener.Addr().String()))(t)
	defer conn.Close()
	must.Get(io.WriteString(conn, "all of it"))(t)
	must.Do(t, conn.(*net.TCPConn).CloseWrite())
	if text, err := io.ReadAll(conn); err != nil || string(text) != "all of it" {
		t.Errorf("the echo: got %q and error %v, want all of it", text, err)
	}
}

// A proxy that speaks TLS forwards the decrypted bytes, and rejects clients without TLS.
func TestGateWithTLS(t *testing.T) {
	t.Parallel()
	issuer := httptest.NewTLSServer(nil)
	t.Cleanup(issuer.Close)
	p := must.Get(Open(t.Context(), Options{
		Host: "127.0.0.1", Logger: slog.New(slog.DiscardHandler),
		TLS: &tls.Config{Certificates: issuer.TLS.Certificates},
	}))(t)
	t.Cleanup(p.Close)
	p.Lead("tcp", echo(t))
	if _, err := visit(t, p, "127.0.0.1"); err == nil {
		t.Error("a connection without TLS came through")
	}
	roots := x509.NewCertPool()
	roots.AddCert(issuer.Certificate())
	conn := must.Get(tls.Dial("tcp", p.listener.Addr().String(), &tls.Config{RootCAs: roots, ServerName: "127.0.0.1"}))(t)
	defer conn.Close()
	if err := say(conn); err != nil {
		t.Errorf("a connection by TLS: got error %v, want none", err)
	}
	must.Get(io.WriteString(conn, "all of it"))(t)
	must.Do(t, conn.CloseWrite())
	if text, err := io.ReadAll(conn); err != nil || string(text) != "all of it" {
		t.Errorf("the echo by TLS: got %q and error %v, want all of it", text, err)
	}
}

// If the preferred port is taken, the proxy uses a free one.
func TestGateTakesAFreePort(t *testing.T) {
	t.Parallel()
	first := openProxy(t, slog.New(slog.DiscardHandler))
	second := must.Get(Open(t.Context(), Options{Host: "127.0.0.1", Ports: []int{0, first.Port()},
		Logger: slog.New(slog.DiscardHandler)}))(t)
	defer second.Close()
	if second.Port() == first.Port() || second.Port() == 0 {
		t.Errorf("the port of the second proxy: got %d, want one other than 0 and %d", second.Port(), first.Port())
	}
}
