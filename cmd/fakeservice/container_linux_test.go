package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/publicaddr"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A container has its own network, connected to the outside by a virtual cable. A client
// outside reaches the fake and everything that it provisions by the advertised name and
// ports.
func TestServesFromAContainer(t *testing.T) {
	t.Parallel()
	inside, address := network(t)
	ports := publicaddr.Ports{First: 20000, Last: 20020} // no other program is in there
	command := exec.CommandContext(context.WithoutCancel(t.Context()), "ip", "netns", "exec", inside, builtProgram(t),
		"--listen", "0.0.0.0:8080", "--allow-remote", "--advertise-host", "fake.test", "--ports", ports.String(),
		"--data-plane", "on", "--speed", "1000", "--log-level", "warn", "--repo", appRepository)
	fake := &running{command: command, key: "the-key"}
	command.Env = append(os.Environ(), "FAKESERVICE_API_KEY=the-key", "FAKESERVICE_CONTROL_TOKEN=the-token")
	command.Stderr = os.Stderr
	out := must.Get(command.StdoutPipe())(t)
	must.Do(t, command.Start())
	t.Cleanup(func() {
		must.Report(t, command.Process.Signal(syscall.SIGTERM))
		if err := command.Wait(); err != nil {
			t.Errorf("the end of the program: got %v, want no error", err)
		}
	})
	first := must.Get(bufio.NewReader(out).ReadString('\n'))(t)
	_, fake.base, _ = strings.Cut(strings.TrimSpace(first), " at ")
	if fake.base != "http://fake.test:8080/api/v1" {
		t.Errorf("the address that the program prints: got %s, want http://fake.test:8080/api/v1", fake.base)
	}
	(&visitor{running: fake, host: "fake.test", address: address, ports: ports, token: "the-token"}).visit(t)
}

// network creates a network namespace with a cable to this one. It returns its name and the
// address of its end.
func network(t *testing.T) (name, address string) {
	t.Helper()
	machine.NeedsRoot(t) // TestAdvertisedHost does the same without a separate network
	if _, err := exec.LookPath("ip"); err != nil {
		machine.Lacks(t, "a network namespace is made with ip, of the package iproute2")
	}
	id := os.Getpid() % 10000
	name = fmt.Sprintf("fake%d", id)
	near, far := fmt.Sprintf("fk%da", id), fmt.Sprintf("fk%db", id)
	prefix := fmt.Sprintf("10.%d.%d", 200+id%50, id/50)
	ip := func(arguments ...string) error {
		if said, err := exec.Command("ip", arguments...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", strings.Join(arguments, " "), err, strings.TrimSpace(string(said)))
		}
		return nil
	}
	if err := ip("netns", "add", name); err != nil {
		// Root in a container may lack this right.
		machine.Lacks(t, "no network namespace can be made here: %s", err)
	}
	t.Cleanup(func() {
		// The cable is deleted with the namespace.
		must.Report(t, ip("netns", "del", name))
	})
	for _, arguments := range [][]string{
		{"link", "add", near, "type", "veth", "peer", "name", far, "netns", name},
		{"address", "add", prefix + ".1/30", "dev", near}, {"link", "set", near, "up"},
		{"-n", name, "address", "add", prefix + ".2/30", "dev", far}, {"-n", name, "link", "set", far, "up"},
		{"-n", name, "link", "set", "lo", "up"},
	} {
		must.Do(t, ip(arguments...))
	}
	return name, prefix + ".2"
}
