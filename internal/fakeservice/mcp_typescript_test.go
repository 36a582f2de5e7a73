package fakeservice_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
)

// The protocol's TypeScript client works too. Unlike the Go client, it checks each result
// against the tool's schema.
func TestTypeScriptClient(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := fakeservicetest.NodeProject(t, "mcp/typescript")
	a := start(t, withQueries, func(o *fakeservice.Options) { o.Speed = 2000 })
	ctx, cancel := context.WithTimeout(t.Context(), machine.Patience)
	defer cancel()
	program := exec.CommandContext(ctx, "node", "client.mjs")
	program.Dir = folder
	program.Env = append(os.Environ(), "MCP_URL="+a.MCPURL, "API_KEY="+fakeservicetest.APIKey)
	var said, complained bytes.Buffer
	program.Stdout, program.Stderr = &said, &complained
	if err := program.Run(); err != nil {
		t.Fatalf("%s\n%s%s", err, said.String(), complained.String())
	}
	called := strings.Count(said.String(), "called: ")
	if want := len(toolsOf(t, a.Agent(t))); called != want || !strings.HasSuffix(said.String(), "done\n") {
		t.Errorf("the client's calls: got %d tools, want %d and done at the end:\n%s", called, want, said.String())
	}
	fakeservicetest.CountClient(t, "@modelcontextprotocol/sdk", called)
}

// The TypeScript client uses an earlier version of the protocol, in which a question to
// the person needs a session.
func TestTypeScriptClientAsks(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := fakeservicetest.NodeProject(t, "mcp/typescript")
	a := start(t)
	id := a.AddInstance(fakeservice.Instance{Name: "shop"}).ID
	ctx, cancel := context.WithTimeout(t.Context(), machine.Patience)
	defer cancel()
	program := exec.CommandContext(ctx, "node", "asking.mjs")
	program.Dir = folder
	program.Env = append(os.Environ(), "MCP_URL="+a.MCPURL, "API_KEY="+fakeservicetest.APIKey, "INSTANCE="+id)
	if said, err := program.CombinedOutput(); err != nil || string(said) != "done\n" {
		t.Fatalf("the client: got error %v and the output\n%s\nwant none and done", err, said)
	}
	if in, _ := a.Instance(id); in.Status != "deleting" {
		t.Errorf("the instance: got status %s, want deleting", in.Status)
	}
}
