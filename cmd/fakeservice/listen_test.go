package main

import (
	"bytes"
	"errors"
	"net"
	"os/exec"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/hostingtest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

func TestListenAddress(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		address string
		remote  bool
		want    string // empty: refused
	}{
		{"127.0.0.1:8080", false, "127.0.0.1:8080"},
		{"127.9.9.9:1", false, "127.9.9.9:1"},
		{"[::1]:0", false, "[::1]:0"},
		{"localhost:0", false, "localhost:0"},
		{":8080", false, "127.0.0.1:8080"},
		{":8080", true, ":8080"},
		{"0.0.0.0:8080", false, ""},
		{"0.0.0.0:8080", true, "0.0.0.0:8080"},
		{"[::]:8080", false, ""},
		{"192.0.2.7:8080", false, ""},
		{"example.com:80", false, ""},
		{"8080", false, ""},
	} {
		got, err := listenAddress(row.address, row.remote)
		if got != row.want || (err == nil) != (row.want != "") {
			t.Errorf("listenAddress(%q, %t) = %q, %v, want %q", row.address, row.remote, got, err, row.want)
		}
	}
}

// A taken port is an error that names the port and the program that has it. The fake must
// not print its start message.
func TestPortThatIsTaken(t *testing.T) {
	t.Parallel()
	program := builtProgram(t)
	occupied := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer occupied.Close()
	_, port, _ := net.SplitHostPort(occupied.Addr().String())
	fake := strings.TrimSuffix(strings.TrimPrefix(hostingtest.Start(t).BaseURL, "http://127.0.0.1:"), "/api/v1")
	rows := []struct{ listen, port, who string }{
		{"127.0.0.1:" + port, port, "another program"},
		{":" + port, port, "another program"},
		{"localhost:" + port, port, "another program"},
		{"127.0.0.1:" + fake, fake, "another fake service"},
	}
	// The system would let the program have the second address of localhost. The fake of
	// another test may have this port at the first one.
	if other, err := net.Listen("tcp", "[::1]:0"); err == nil {
		defer other.Close()
		_, port, _ := net.SplitHostPort(other.Addr().String())
		rows = append(rows, struct{ listen, port, who string }{"localhost:" + port, port, "another"})
	}
	for _, row := range rows {
		var out, errs bytes.Buffer
		command := exec.CommandContext(t.Context(), program, "--listen", row.listen, "--data-plane", "off")
		command.Stdout, command.Stderr = &out, &errs
		err := command.Run()
		ended := (*exec.ExitError)(nil)
		if !errors.As(err, &ended) || ended.ExitCode() != 1 {
			t.Errorf("--listen %s: got %v, want exit code 1", row.listen, err)
		}
		if out.Len() > 0 || !strings.Contains(errs.String(), "port "+row.port+" is taken: "+row.who) {
			t.Errorf("--listen %s: got the output\n%s\nand the errors\n%s\nwant no output, and that %s has the port", row.listen, out.String(), errs.String(), row.who)
		}
	}
}
