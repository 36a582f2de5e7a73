package fakeservicetest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// SignInByTypeScript runs the protocol's TypeScript client, which is the project in the
// folder. It signs in from nothing with its own OAuth, refreshes its tokens after an hour of
// the fake's clock, and revokes them. consent visits the consent page at an address; the
// client asks for consent again after the revocation, which is not visited.
func SignInByTypeScript(t testing.TB, s *Server, folder string, consent func(address string)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), machine.Patience)
	defer cancel()
	program := exec.CommandContext(ctx, "node", "oauth.mjs")
	program.Dir = folder
	program.Env = append(program.Environ(), "MCP_URL="+s.MCPURL)
	var complained bytes.Buffer
	program.Stderr = &complained
	said, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	told, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	consents, last := 0, ""
	for lines := bufio.NewScanner(said); lines.Scan(); {
		last = lines.Text()
		address, asks := strings.CutPrefix(last, "open: ")
		switch {
		case asks:
			if consents++; consents == 1 {
				consent(address)
			}
		case last == "connected":
			s.Advance(time.Hour)
			if _, err := fmt.Fprintln(told); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := program.Wait(); err != nil || last != "done" {
		t.Fatalf("%v after %q\n%s", err, last, complained.String())
	}
}
