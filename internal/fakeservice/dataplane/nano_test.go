package dataplane_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// nanoClient is the folder of a program that uses CouchDB's JavaScript client.
const nanoClient = "../couchdb/nano"

// CouchDB works with its official JavaScript client. Each step of the program is a line of
// its log.
func TestNano(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := fakeservicetest.NodeProject(t, nanoClient)
	b := start(t).couchBox()
	deeds := httptest.NewServer(b.deeds())
	t.Cleanup(deeds.Close)
	record := b.connection()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	must.Do(t, os.WriteFile(ca, []byte(record.Certificate), 0o600))

	ctx, cancel := context.WithTimeout(t.Context(), machine.Patience)
	defer cancel()
	program := exec.CommandContext(ctx, "node", "client.mjs")
	program.Dir = folder
	program.Env = append(os.Environ(), "COUCHDB_URL="+record.Engines.CouchDB.URL, "DEEDS_URL="+deeds.URL, "NODE_EXTRA_CA_CERTS="+ca)
	var said, complained bytes.Buffer
	program.Stdout, program.Stderr = &said, &complained
	err := program.Run()
	steps := 0
	for line := range strings.Lines(said.String()) {
		if strings.HasPrefix(line, "step: ") {
			steps++
			t.Log("nano " + strings.TrimSpace(line))
		}
	}
	if err != nil {
		t.Fatalf("nano after %d steps: got error %s, want none; its errors:\n%s", steps, err, complained.String())
	}
	source := must.Get(os.ReadFile(filepath.Join(nanoClient, "client.mjs")))(t)
	if want := bytes.Count(source, []byte("\nawait step(")); steps == 0 || steps != want || !strings.Contains(said.String(), fmt.Sprintf("steps: %d\n", want)) {
		t.Errorf("nano: got %d steps, want %d", steps, want)
	}
	fakeservicetest.CountClient(t, "nano", steps)
}

// deeds returns a handler with what the program asks for.
func (b *box) deeds() http.Handler {
	allow := func(addresses ...string) {
		b.done("PUT", b.path+"/allowlist", object{"allowlist": addresses})
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /close", func(http.ResponseWriter, *http.Request) { allow("127.0.0.8") })
	mux.HandleFunc("POST /open", func(http.ResponseWriter, *http.Request) { allow("127.0.0.0/8") })
	mux.HandleFunc("POST /kill", func(http.ResponseWriter, *http.Request) {
		server, err := os.FindProcess(b.pid("couchdb"))
		if err == nil {
			err = server.Kill()
		}
		if err != nil {
			b.t.Error(err)
		}
	})
	mux.HandleFunc("POST /rotate", func(w http.ResponseWriter, _ *http.Request) {
		b.done("POST", b.path+"/actions/rotate", object{})
		_, _ = io.WriteString(w, b.connection().Engines.CouchDB.URL)
	})
	return mux
}
