package dataplane_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// authjs is the folder of a program that uses the JavaScript auth client.
const authjs = "../authengine/authjs"

// The auth engine works with the JavaScript client that most apps use. Each step of the
// program is a line of its log.
func TestAuthJS(t *testing.T) {
	tier.Night.Only(t)
	t.Parallel()
	folder := fakeservicetest.NodeProject(t, authjs)
	b := start(t).fullBox()
	const app = "https://app.example"
	b.done("PATCH", b.path+"/engines/auth/settings", object{"site_url": app, "redirect_urls": []string{app + "/**"}})
	mails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		list := []object{}
		for _, m := range b.Mails() {
			list = append(list, object{"to": m.To, "link": m.Link, "code": m.Code})
		}
		json.NewEncoder(w).Encode(list)
	}))
	t.Cleanup(mails.Close)
	record := b.auth()

	ctx, cancel := context.WithTimeout(t.Context(), machine.Patience)
	defer cancel()
	program := exec.CommandContext(ctx, "node", "client.mjs")
	program.Dir = folder
	program.Env = append(os.Environ(), "AUTH_URL="+record.URL, "ANON_KEY="+record.AnonKey, "SERVICE_KEY="+record.ServiceKey,
		"APP_URL="+app, "MAILS_URL="+mails.URL)
	var said, complained bytes.Buffer
	program.Stdout, program.Stderr = &said, &complained
	err := program.Run()
	steps := 0
	for line := range strings.Lines(said.String()) {
		if strings.HasPrefix(line, "step: ") {
			steps++
			t.Log("auth-js " + strings.TrimSpace(line))
		}
	}
	if err != nil {
		t.Fatalf("auth-js after %d steps: got error %s, want none; its errors:\n%s", steps, err, complained.String())
	}
	source := must.Get(os.ReadFile(filepath.Join(authjs, "client.mjs")))(t)
	if want := bytes.Count(source, []byte("\nawait step(")); steps == 0 || steps != want || !strings.Contains(said.String(), fmt.Sprintf("steps: %d\n", want)) {
		t.Errorf("auth-js: got %d steps, want %d", steps, want)
	}
	b.toldOfAccounts(mailSecrets(b.Mails()))
	fakeservicetest.CountClient(t, "@supabase/auth-js", steps)
}

// mailSecrets returns the links and codes of the mails.
func mailSecrets(mails []fakeservice.Mail) []string {
	var secrets []string
	for _, m := range mails {
		if m.Link != "" {
			secrets = append(secrets, m.Link)
		}
		secrets = append(secrets, m.Code)
	}
	return secrets
}

// toldOfAccounts checks that every kind of event of an auth engine was emitted, and that
// no event contains a secret or an address.
func (b *box) toldOfAccounts(secrets []string) {
	b.t.Helper()
	told := map[string]int{}
	for _, e := range b.Events() {
		if !strings.HasPrefix(e.Type, "auth_") {
			continue
		}
		told[e.Type]++
		text := must.Get(json.Marshal(e.Data))(b.t)
		if e.InstanceID != b.id || e.Data["user_id"] == "" || len(e.Data) != 1 || bytes.Contains(text, []byte("@")) {
			b.t.Errorf("the event %s of %s: got %s, want only a user of %s", e.Type, e.InstanceID, text, b.id)
		}
		if slices.ContainsFunc(secrets, func(secret string) bool { return bytes.Contains(text, []byte(`"`+secret+`"`)) }) {
			b.t.Errorf("the event %s: got %s, want no secret of a mail", e.Type, text)
		}
	}
	for _, kind := range []string{
		"auth_user_created", "auth_user_invited", "auth_user_banned", "auth_user_unbanned", "auth_user_deleted", "auth_link_sent",
	} {
		if told[kind] == 0 {
			b.t.Errorf("events of the type %s: got none among %v, want one", kind, told)
		}
	}
}
