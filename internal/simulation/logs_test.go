package simulation

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// buildsPath matches the path of the builds of an app.
var buildsPath = regexp.MustCompile(`/instances/([^/]+)/apps/([^/]+)/builds$`)

// printVariables adds the app's variables to the end of each failed build's log, as in a
// build that prints its environment.
func (w *world) printVariables(p string, answer any) {
	of := buildsPath.FindStringSubmatch(p)
	body, ok := answer.(map[string]any)
	if of == nil || !ok {
		return
	}
	app, _ := w.fake.App(of[1], of[2])
	builds, _ := body["builds"].([]any)
	for _, build := range builds {
		build := build.(map[string]any)
		log, failed := build["error"].(string)
		if !failed {
			continue
		}
		for _, name := range sortedNames(app.Env) {
			log += "\nexport " + name + "=" + app.Env[name]
			if slices.Contains(secretVariables, app.Env[name]) {
				w.countOnce(secretPrinted)
			}
		}
		build["error"] = log
	}
}

const buildsKind = "hosting_app_builds"

// readLogs makes a build of each app fail. It reads the builds in a process that has not
// sent the app's variables, and checks that no log shows them.
func (w *world) readLogs() {
	t := schemas().DataSourceSchemas[buildsKind].ValueType()
	cmd := newCommand(cut{})
	r := w.first.run(cmd)
	for _, i := range w.fake.Instances() {
		for _, app := range w.fake.Apps(i.ID) {
			w.fake.EditApp(i.ID, app.Name, func(a *fakeservice.App) {
				a.Builds = append(a.Builds, fakeservice.Build{ID: "bld-failed", Status: fakeservice.StatusFailed, Error: "no such file", CreatedAt: time.Now(), FinishedAt: time.Now()})
			})
			p := w.start(w.first, cmd)
			c := &call{address: "data." + buildsKind + ".this", what: "read"}
			config := configValue(t, map[string]any{"instance_id": i.ID, "app": app.Name}, r.resolve)
			answer, answered := do(p, c, func(ctx context.Context) (*tfprotov6.ReadDataSourceResponse, error) {
				return p.server.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: buildsKind, Config: dynamic(t, config)})
			})
			if !answered || answer == nil {
				return
			}
			w.countOnce(logRead)
			if r.hear(c.address, c.what, answer.Diagnostics) {
				w.violate(settled, "%s cannot be read in fair weather", c.address)
				continue
			}
			if w.scenario.Shapes&masked == 0 { // DESIGN.md says what is not defended
				w.holdSecret("a log of a build", answer.State.MsgPack)
			}
		}
	}
}
