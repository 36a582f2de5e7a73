package acceptance

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/tier"
	"github.com/instance-hosting/terraform-provider-hosting/internal/verification"
)

// The module deploys a working guestbook. The test makes every check of
// SERVICE.md#guestbook in a browser, against a fake whose Postgres, apps and auth engine
// are real.
func TestGuestbookVerification(t *testing.T) {
	fake := fakeservicetest.Start(t,
		func(o *fakeservice.Options) { o.Speed = testSpeed },
		fakeservicetest.WithDataPlane(t, func(o *dataplane.Options) {
			o.Repositories = map[string]string{"octo/guestbook": "../../examples/guestbook/app"}
		}))
	w := newGuestbook(t, fake)
	// This file's name comes last in alphabetical order, so its values take precedence.
	w.write("verification.auto.tfvars", "create_table = true\n")
	w.apply()
	w.mustBeSettled()

	id, app := onlyInstance(t, fake), theApp(t, fake)
	service, err := client.New(client.Options{BaseURL: fake.BaseURL, APIKey: fakeservicetest.APIKey})
	if err != nil {
		t.Fatal(err)
	}
	browser := verification.FindChromium()
	if browser == "" && machine.LacksNothing() {
		t.Fatal("Chromium is missing, and HOSTING_TEST_STRICT=1 says that everything is there")
	}
	artifacts, err := filepath.Abs("../../.artifacts")
	if err != nil {
		t.Fatal(err)
	}
	guestbook := verification.Guestbook{
		AppURL: app.URL, AuthURL: app.Env["NEXT_PUBLIC_AUTH_URL"], AnonKey: app.Env["NEXT_PUBLIC_AUTH_ANON_KEY"],
		Service: service, InstanceID: id, App: app.Name,
		Processes: func(_ context.Context, engine string) (int, error) {
			for _, p := range fake.Processes(id) {
				if p.Engine == engine {
					return p.PID, nil
				}
			}
			return 0, nil
		},
		Chromium: browser, Screenshots: artifacts, Patience: machine.Patience, Say: t.Logf, Brief: !tier.Night.Runs(),
	}
	if err := guestbook.Verify(t.Context()); err != nil {
		t.Fatalf("%s\nthe app's log:\n%s", err, fake.AppLog(id, app.Name))
	}
	// Without a browser, the same checks run over HTTP.
	guestbook.Chromium = ""
	if err := guestbook.Verify(t.Context()); err != nil {
		t.Errorf("without a browser: %s", err)
	}
	// None of this is drift. The build that the checks redeployed appears in the module's
	// outputs.
	if r := w.apply(); !strings.Contains(r.output, "0 added, 0 changed, 0 destroyed") {
		t.Errorf("the apply after the visits: got\n%s\nwant nothing changed", r.output)
	}
	w.mustBeSettled()

	if r := w.run("destroy", "-auto-approve", "-no-color"); r.exit != 0 {
		t.Fatalf("destroy: got exit %d, want 0:\n%s", r.exit, r.output)
	}
	for what, n := range fake.Left() {
		if n != 0 {
			t.Errorf("%s after the destroy: got %d, want none", what, n)
		}
	}
	if left := fake.Processes(id); len(left) > 0 {
		t.Errorf("processes after the destroy: got %v, want none", left)
	}
}
