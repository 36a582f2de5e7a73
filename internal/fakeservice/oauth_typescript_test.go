package fakeservice_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// The protocol's TypeScript client signs in from nothing with its own OAuth, and a visitor
// of the portal consents. It refreshes its tokens after an hour, and revokes them.
func TestTypeScriptClientSignsIn(t *testing.T) {
	t.Parallel()
	folder := fakeservicetest.NodeProject(t, "mcp/typescript")
	a := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), machine.Patience)
	defer cancel()
	program := exec.CommandContext(ctx, "node", "oauth.mjs")
	program.Dir = folder
	program.Env = append(os.Environ(), "MCP_URL="+a.MCPURL)
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
	visitor, last := fakeservicetest.SignIn(t, a.Server), ""
	for lines := bufio.NewScanner(said); lines.Scan(); {
		last = lines.Text()
		address, open := strings.CutPrefix(last, "open: ")
		switch {
		case open && len(a.Events()) == 0:
			if page := visitor.Open(address).Submit("allow", nil); page.Status != http.StatusOK || page.Text() != "The sign-in is finished." {
				t.Fatalf("the consent led to %d %s", page.Status, page.Text())
			}
		case last == "connected":
			a.Advance(time.Hour)
			if _, err := fmt.Fprintln(told); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := program.Wait(); err != nil || last != "done" {
		t.Fatalf("%v after %q\n%s", err, last, complained.String())
	}
	equal(t, "the events", strings.Join(eventsOf(a), ", "), "oauth_granted TypeScript, oauth_disconnected TypeScript")
}
