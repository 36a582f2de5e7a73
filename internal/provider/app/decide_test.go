package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// String returns the step in the form that the table uses.
func (s step) String() string {
	switch s.do {
	case send:
		change, _ := json.Marshal(s.change) // text, numbers and lists
		return string(change)
	case awaitBuild:
		return "wait for build " + s.build
	}
	return map[verb]string{
		awaitJob: "wait for the job", readApp: "read", readIdle: "wait and read", readBuilds: "read builds", redeploy: "redeploy",
		awaitRunning: "wait", finish: "finish", refuse: "refuse",
	}[s.do]
}

// Changes of an app from the one that the table starts from.
var (
	withPort     = func(m *appModel) { m.Port = types.Int64Value(8080) }
	withBranch   = func(m *appModel) { m.Branch = types.StringValue("next") }
	withTrigger  = func(m *appModel) { m.RedeployTriggers = stringsMap(map[string]string{"v": "1"}) }
	withCommit   = func(m *appModel) { m.DeployCommit = types.StringValue("bbbbbbbbbb") }
	withLinks    = func(m *appModel) { m.Links = providertest.Texts("auth") }
	withNoLinks  = func(m *appModel) { m.Links = providertest.Texts() }
	withNoMemory = func(m *appModel) { m.MemoryMB = types.Int64Null() }
	withEnv      = func(m *appModel) { m.Env = stringsMap(map[string]string{"A": "1"}) }
	unprotected  = func(m *appModel) { m.DeletionProtection = types.BoolValue(false) }
)

// runningApp returns a running app with changes.
func runningApp(changes ...func(*appModel)) appModel {
	m := plainApp()
	m.BuildID, m.Commit, m.Status = types.StringValue("b0"), types.StringValue("aaaaaaaaaa"), types.StringValue("running")
	for _, change := range changes {
		change(&m)
	}
	return m
}

func TestDecide(t *testing.T) {
	with := runningApp
	list := func(builds ...client.Build) []client.Build { return append([]client.Build{}, builds...) }
	ok, bad, busy := client.Build{ID: "b1", Status: "successful"}, client.Build{ID: "b1", Status: "failed"}, client.Build{ID: "b1", Status: "running"}
	older := client.Build{ID: "b0", Status: "successful", Commit: "aaaaaaaaaa"}
	ofCommit := client.Build{ID: "b1", Status: "successful", Commit: "bbbbbbbbbb"}
	v1 := with(withTrigger).RedeployTriggers.String()
	asked, resumed := note{Phase: deploying, Build: "b1"}, note{Phase: creating, Build: "b1"}
	lost := note{Phase: deploying, Trigger: v1, Known: []string{"b0"}}
	built := func(p *progress) { p.built = true }
	unread, redeployed := func(*progress) {}, func(p *progress) { p.built, p.redeployed = true, true }
	sentEnv := func(p *progress) { p.built, p.done = true, []string{"env"} }
	isNew := func(p *progress) { p.imported, p.built = true, true }
	for name, row := range map[string]struct {
		prior, planned, there appModel
		note                  note
		builds                []client.Build // nil if not read yet
		status                client.Word    // of the record; "" is running
		did                   func(*progress)
		want                  string
	}{
		"a job is noted":                     {prior: with(), planned: with(withPort), note: note{Job: "j1"}, want: "wait for the job"},
		"nothing is read, nothing planned":   {prior: with(), planned: with(unprotected), did: unread, want: "read"},
		"nothing is read, a port":            {prior: with(), planned: with(withPort), did: unread, want: "wait and read"},
		"nothing is read, variables":         {prior: with(), planned: with(withEnv), did: unread, want: "wait and read"},
		"nothing is read, a trigger":         {prior: with(), planned: with(withTrigger), did: unread, want: "wait and read"},
		"nothing is read, a commit":          {prior: with(), planned: with(withCommit), did: unread, want: "wait and read"},
		"nothing is read, the commit":        {prior: with(withCommit), planned: with(withCommit), did: unread, want: "wait and read"},
		"nothing is read, a note":            {prior: with(), planned: with(), note: asked, did: unread, want: "wait and read"},
		"nothing":                            {prior: with(), planned: with(), there: with(), want: "finish"},
		"changed by somebody, not by a plan": {prior: with(), planned: with(), there: with(withPort, withBranch), want: "finish"},
		"memory that is not asked for":       {prior: with(), planned: with(withNoMemory), there: with(), want: "finish"},
		"no links, in another way":           {prior: with(), planned: with(withNoLinks), there: with(), want: "finish"},
		"what only the provider knows":       {prior: with(), planned: with(unprotected), there: with(), want: "finish"},
		"a restart":                          {prior: with(), planned: with(withPort), there: with(), want: `{"port":8080}`},
		"a restart, shown already":           {prior: with(), planned: with(withPort), there: with(withPort), want: `{"port":8080}`},
		"a branch":                           {prior: with(), planned: with(withBranch, withPort), there: with(), want: `{"branch":"next","port":8080}`},
		"a branch that is shown, and more":   {prior: with(), planned: with(withBranch, withPort), there: with(withBranch), want: `{"port":8080}`},
		"links that go":                      {prior: with(withLinks), planned: with(), there: with(withLinks), want: `{"links":[]}`},
		"variables":                          {prior: with(), planned: with(withEnv), there: with(), want: `{"env":{"A":"1"}}`},

		"sent by an earlier call":               {prior: with(), planned: with(), there: with(withPort), note: note{Phase: changing, Sent: []string{"port"}}, want: `{"port":3000}`},
		"sent by an earlier call, and not made": {prior: with(), planned: with(), there: with(), note: note{Phase: changing, Sent: []string{"port"}}, want: `{"port":3000}`},

		"a branch, shown already":                     {prior: with(), planned: with(withBranch), there: with(withBranch), want: "read builds"},
		"a branch, shown already, built":              {prior: with(), planned: with(withBranch), there: with(withBranch), builds: list(ok, older), want: "wait for build b1"},
		"a branch, shown already, not built":          {prior: with(), planned: with(withBranch), there: with(withBranch), builds: list(bad, older), want: "redeploy"},
		"a branch, shown already, down":               {prior: with(), planned: with(withBranch), there: with(withBranch), builds: list(ok, older), status: "failed", want: "redeploy"},
		"a branch, shown already, and an older note":  {prior: with(), planned: with(withBranch), there: with(withBranch), note: note{Phase: creating, Build: "b0"}, builds: list(bad, older), want: "redeploy"},
		"a branch, shown already, of an app unbuilt":  {prior: with(), planned: with(withBranch), there: with(withBranch), builds: list(), want: "wait"},
		"a branch, with a build that may have failed": {prior: with(), planned: with(withBranch), there: with(), note: asked, want: "read builds"},
		"a branch, with a build that has failed":      {prior: with(), planned: with(withBranch), there: with(), note: asked, builds: list(bad, older), want: `{"branch":"next"}`},

		"an answer that names no build":  {prior: with(), planned: with(withEnv), there: with(), note: note{Phase: deploying}, did: sentEnv, want: "read builds"},
		"such an answer, without any":    {prior: with(), planned: with(withEnv), there: with(), note: note{Phase: deploying}, did: sentEnv, builds: list(), want: "wait"},
		"such an answer, a failed build": {prior: with(), planned: with(withEnv), there: with(), note: note{Phase: deploying}, did: sentEnv, builds: list(bad), want: "wait for build "},
		"such an answer to a redeploy":   {prior: with(), planned: with(withTrigger), there: with(), note: lost, did: redeployed, builds: list(bad, older), want: "wait for build b1"},
		"the same, and it is not listed": {prior: with(), planned: with(withTrigger), there: with(), note: note{Phase: deploying, Known: []string{"b1"}}, did: redeployed, builds: list(bad), want: "wait for build "},
		"such an answer, and a trigger":  {prior: with(), planned: with(withEnv, withTrigger), there: with(), note: note{Phase: deploying, Known: []string{"b0"}}, did: sentEnv, builds: list(older), want: "redeploy"},
		"variables and a trigger":        {prior: with(), planned: with(withEnv, withTrigger), there: with(), want: "read builds"},
		"variables and a commit":         {prior: with(), planned: with(withEnv, withCommit), there: with(), want: "read builds"},
		"such an answer, an older build": {prior: with(), planned: with(withEnv), there: with(), note: note{Phase: deploying}, did: sentEnv, builds: list(older), want: "wait for build "},
		"such an answer, and nothing was built": {prior: with(), planned: with(withEnv), there: with(), note: note{Phase: deploying, Known: []string{"b1", "b0"}},
			did: sentEnv, builds: list(bad, older), want: "redeploy"},
		"such an answer, and it is being built": {prior: with(), planned: with(withEnv), there: with(), note: note{Phase: deploying, Known: []string{"b0"}},
			did: sentEnv, builds: list(busy, older), want: "wait for build b1"},

		"a trigger":                      {prior: with(), planned: with(withTrigger), there: with(), want: "read builds"},
		"a trigger, the builds are read": {prior: with(), planned: with(withTrigger), there: with(), builds: list(older), want: "redeploy"},
		"a trigger and a restart":        {prior: with(), planned: with(withTrigger, withPort), there: with(), want: `{"port":8080}`},
		"a trigger, asked for and lost":  {prior: with(), planned: with(withTrigger), there: with(), note: lost, builds: list(older), want: "redeploy"},
		"a trigger, asked for, made":     {prior: with(), planned: with(withTrigger), there: with(), note: lost, builds: list(busy, older), want: "wait for build b1"},
		"another trigger was asked for":  {prior: with(), planned: with(withTrigger), there: with(), note: note{Phase: deploying, Trigger: "v0", Known: []string{"b0"}}, builds: list(busy, older), want: "redeploy"},

		"another commit is deployed":            {prior: with(), planned: with(withCommit), there: with(), builds: list(older), want: "redeploy"},
		"the commit is deployed":                {prior: with(), planned: with(withCommit), there: with(), builds: list(ofCommit), want: "finish"},
		"the commit is deployed, and down":      {prior: with(), planned: with(withCommit), there: with(), builds: list(ofCommit), status: "failed", want: "redeploy"},
		"another commit since, and no plan":     {prior: with(withCommit), planned: with(withCommit), there: with(), builds: list(older), want: "redeploy"},
		"the commit since, and no plan":         {prior: with(withCommit), planned: with(withCommit), there: with(), builds: list(ofCommit, older), want: "finish"},
		"a commit, of an app without builds":    {prior: with(), planned: with(withCommit), there: with(), builds: list(), want: "redeploy"},
		"a build of the commit runs":            {prior: with(withCommit), planned: with(withCommit), there: with(), note: asked, builds: list(busy, older), want: "wait for build b1"},
		"a build runs":                          {prior: with(), planned: with(), there: with(), note: asked, builds: list(busy, older), want: "wait for build b1"},
		"a build is deployed":                   {prior: with(), planned: with(), there: with(), note: asked, builds: list(ok, older), want: "wait for build b1"},
		"a build has failed":                    {prior: with(), planned: with(), there: with(), note: asked, builds: list(bad, older), want: "redeploy"},
		"a build is deployed, and does not run": {prior: with(), planned: with(), there: with(), note: asked, builds: list(ok, older), status: "failed", want: "redeploy"},
		"a build is not listed":                 {prior: with(), planned: with(), there: with(), note: note{Phase: deploying, Build: "b2"}, builds: list(ok, older), want: "redeploy"},
		"no build is listed":                    {prior: with(), planned: with(), there: with(), note: note{Phase: deploying}, builds: list(), want: "redeploy"},
		"no build is listed while it is built":  {prior: with(), planned: with(), there: with(), note: note{Phase: deploying}, builds: list(), status: "building", want: "wait for build "},
		"the first build is not listed":         {prior: with(), planned: with(), there: with(), note: note{Phase: creating}, builds: list(), status: "building", want: "wait for build "},
		"the first build has failed":            {prior: with(), planned: with(), there: with(), note: resumed, builds: list(bad), status: "failed", want: "redeploy"},
		"this call has asked for a build":       {prior: with(), planned: with(), there: with(), note: asked, did: built, want: "wait for build b1"},
		"this call has changed it":              {prior: with(), planned: with(withPort), there: with(), did: func(p *progress) { p.sent, p.done = true, []string{"port"} }, want: "wait"},
		"it was seen to run":                    {prior: with(), planned: with(withPort), there: with(), did: func(p *progress) { p.ran = true }, want: "finish"},

		"a new app with links":              {prior: with(withLinks), planned: with(withLinks), note: note{Phase: creating, Build: "b1", Sent: []string{"links"}}, did: isNew, want: `{"links":["auth"]}`},
		"a new app without":                 {prior: with(), planned: with(), note: resumed, did: isNew, want: "wait for build b1"},
		"a new app that lacked a link":      {prior: with(withLinks), planned: with(withLinks), note: resumed, did: func(p *progress) { isNew(p); p.unlinked = true }, want: "read builds"},
		"a new app that is to be built now": {prior: with(withLinks), planned: with(withLinks), note: resumed, did: func(p *progress) { isNew(p); p.unlinked = true }, builds: list(bad), want: "redeploy"},
	} {
		g := goal{prior: row.prior, planned: row.planned, env: knownStrings(row.planned.Env)}
		p, s := progress{have: row.prior, keys: secretKeys{known: true}, note: row.note}, seen{builds: row.builds}
		if row.did != nil {
			row.did(&p)
		}
		if !p.imported && row.note.Job == "" && !strings.HasPrefix(name, "nothing is read") {
			app := recordOfModel(row.there)
			app.Env = client.Some(knownStrings(row.there.Env))
			if app.Status = row.status; row.status == "" {
				app.Status = client.AppRunning
			}
			s.app = &app
			p.have.setRecord(app, p.keys)
		}
		if got := fmt.Sprint(decide(g, p, s)); got != row.want {
			t.Errorf("%s: got %s, want %s", name, got, row.want)
		}
	}
}

// The variables of an imported app whose values nothing proves end the call before it sends
// anything.
func TestDecideRefuses(t *testing.T) {
	state, planned := runningApp(), runningApp()
	planned.SecretEnvWOVersion = types.Int64Value(1)
	app := recordOfModel(state)
	got := decide(goal{prior: state, planned: planned, secret: map[string]string{"S": "x"}}, progress{have: state}, seen{app: &app})
	if got.do != refuse || !errors.Is(got.err, UnknownEnvError{}) {
		t.Errorf("got %s with error %v, want a refusal", got, got.err)
	}
}

func TestFailedStep(t *testing.T) {
	build, unhealthy, job, interrupted := &client.BuildError{}, &client.AppError{}, &client.JobError{}, &client.InterruptedError{}
	isNew, isFailed, deploys := note{Phase: creating, Build: "b"}, note{Phase: failed, Build: "b"}, note{Phase: deploying, Build: "b"}
	for name, row := range map[string]struct {
		err        error
		at         verb
		note, want note
		status     string
	}{
		"the first build failed":     {build, awaitBuild, isNew, isFailed, "failed"},
		"the import failed":          {job, awaitJob, isNew, isFailed, "failed"},
		"the first does not run":     {unhealthy, awaitBuild, isNew, isFailed, "failed"},
		"a new app is not linked":    {job, send, isNew, isNew, "running"},
		"a creation is cut short":    {interrupted, awaitBuild, isNew, isNew, "running"},
		"a build failed":             {build, awaitBuild, deploys, deploys, "running"},
		"a job failed":               {job, send, note{}, note{}, "running"},
		"a version does not run":     {unhealthy, awaitBuild, deploys, deploys, "failed"},
		"a restart does not run":     {unhealthy, awaitRunning, note{}, note{Phase: deploying}, "failed"},
		"a deployment was cut short": {interrupted, awaitBuild, deploys, deploys, "running"},
	} {
		p := progress{note: row.note, have: runningApp()}
		if goesOn := p.fail(goal{}, seen{}, row.at, row.err); goesOn || !reflect.DeepEqual(p.note, row.want) || p.have.Status.ValueString() != row.status {
			t.Errorf("%s: got %+v and status %s, want %+v and %s", name, p.note, p.have.Status, row.want, row.status)
		}
	}
}

// The failed job of a change has changed nothing. A new app is still without its links.
func TestFailedJobOfAnEarlierCall(t *testing.T) {
	ports, links := []string{"port"}, []string{"links"}
	job := &client.JobError{Job: client.Job{Operation: client.OpAppUpdate}}
	for name, row := range map[string]struct{ noted, want note }{
		"a change":             {note{Phase: changing, Job: "j", Sent: ports}, note{}},
		"a change that builds": {note{Phase: deploying, Job: "j", Build: "b1", Sent: ports, Known: []string{"b0"}}, note{Phase: deploying}},
		"a redeploy":           {note{Phase: deploying, Job: "j", Build: "b1"}, note{Phase: deploying, Build: "b1"}},
		"links of a new app":   {note{Phase: creating, Job: "j", Sent: links}, note{Phase: creating, Sent: links}},
	} {
		p := progress{note: row.noted}
		if err := p.jobOver(goal{}, job); err != nil || !reflect.DeepEqual(p.note, row.want) {
			t.Errorf("%s: got %+v and error %v, want %+v", name, p.note, err, row.want)
		}
	}
}

// A call may end before it has waited for the build of a change that the record shows. The state
// then has the change, so the note must show that the build was not seen.
func TestFailureBesideAShownChange(t *testing.T) {
	state, next := runningApp(), recordOfModel(runningApp(withBranch))
	over := progress{have: state, ran: true} // such as one that ends with another commit
	if over.fail(goal{prior: state, planned: runningApp(withBranch)}, seen{app: &next}, finish, &OtherCommitError{}); !over.note.isZero() {
		t.Errorf("after a build that was seen to run: got %+v, want no note", over.note)
	}
	for name, row := range map[string]struct {
		planned, there appModel
		noted, want    note
		env            bool // whether the state has the planned variables
	}{
		"a branch":                    {runningApp(withBranch), runningApp(withBranch), note{}, note{Phase: deploying}, false},
		"a branch that is not shown":  {runningApp(withBranch), runningApp(), note{}, note{}, false},
		"a branch of another app":     {runningApp(), runningApp(withBranch), note{}, note{}, false},
		"a branch, and an older note": {runningApp(withBranch), runningApp(withBranch), note{Phase: creating, Build: "b0"}, note{Phase: creating}, false},
		"variables":                   {runningApp(withEnv), runningApp(withEnv), note{}, note{Phase: deploying}, true},
		"variables not shown":         {runningApp(withEnv), runningApp(), note{}, note{}, false},
	} {
		app := recordOfModel(row.there)
		app.Env = client.Some(knownStrings(row.there.Env))
		p := progress{have: state, keys: secretKeys{known: true}, note: row.noted}
		p.fail(goal{prior: state, planned: row.planned, env: knownStrings(row.planned.Env)}, seen{app: &app}, readBuilds, &client.InterruptedError{})
		if !reflect.DeepEqual(p.note, row.want) || p.have.Env.Equal(row.planned.Env) != (row.env || row.planned.Env.IsNull()) {
			t.Errorf("%s: got %+v and variables %s, want %+v", name, p.note, p.have.Env, row.want)
		}
	}
}

// The first build of an app that is linked later is repeated once.
func TestFirstBuildWithoutALink(t *testing.T) {
	linked := goal{planned: runningApp(withLinks)}
	p := imported(runningApp(withLinks), secretKeys{}, client.Pending{BuildID: "b1"})
	if !p.fail(linked, seen{}, awaitBuild, &client.BuildError{}) || p.note.Phase != creating {
		t.Fatalf("the first build: got %+v, want it repeated", p.note)
	}
	again := step{do: redeploy}
	p.begin(linked, again, seen{builds: []client.Build{{ID: "b1"}}})
	p.accept(linked, again, client.Pending{BuildID: "b2"})
	if p.unlinked || p.note.Phase != creating || p.note.Build != "b2" {
		t.Errorf("the second build: got %+v, want it noted as that of a creation", p.note)
	}
	if p.fail(linked, seen{}, awaitBuild, &client.BuildError{}) || p.note.Phase != failed {
		t.Errorf("after the second build: got %+v, want a failure", p.note)
	}
}

func TestNoteAfterARefresh(t *testing.T) {
	running, down, building := client.App{Status: client.AppRunning}, client.App{Status: client.AppFailed}, client.App{Status: client.AppBuilding}
	good, bad := client.Build{ID: "b1", Status: "successful"}, client.Build{ID: "b2", Status: "failed"}
	builds := func(all ...client.Build) []client.Build { return all }
	asked := note{Phase: deploying, Trigger: "t", Known: []string{"b1"}}
	for name, row := range map[string]struct {
		noted note
		found refreshed
		want  note
	}{
		"nothing to note":                     {note{}, refreshed{app: running, builds: builds(good)}, note{}},
		"the build is deployed":               {note{Phase: deploying, Job: "j", Build: "b1"}, refreshed{app: running, builds: builds(good)}, note{}},
		"the newest build is deployed":        {note{Phase: deploying}, refreshed{app: running, builds: builds(good)}, note{}},
		"the build has failed":                {note{Phase: deploying, Build: "b2"}, refreshed{app: running, builds: builds(bad, good)}, note{Phase: deploying, Build: "b2"}},
		"the app does not run":                {note{Phase: deploying, Build: "b1"}, refreshed{app: down, builds: builds(good)}, note{Phase: deploying, Build: "b1"}},
		"the build is not listed":             {note{Phase: deploying, Build: "b3"}, refreshed{app: running, builds: builds(good)}, note{Phase: deploying, Build: "b3"}},
		"a redeploy that was asked for":       {asked, refreshed{app: running, builds: builds(good)}, asked},
		"a creation that runs":                {note{Phase: creating, Job: "j", Build: "b1"}, refreshed{app: running, builds: builds(good)}, note{}},
		"a creation with links to be sent":    {note{Phase: creating, Job: "j", Build: "b1", Sent: []string{"links"}}, refreshed{app: running, builds: builds(good)}, note{Phase: changing, Sent: []string{"links"}}},
		"an update of unknown outcome":        {note{Phase: changing, Job: "j", Sent: []string{"env"}}, refreshed{app: running, builds: builds(good)}, note{Phase: changing, Job: "j", Sent: []string{"env"}}},
		"a job whose app still builds":        {note{Phase: changing, Job: "j"}, refreshed{app: building, builds: builds(good)}, note{Phase: changing, Job: "j"}},
		"another branch, built":               {note{}, refreshed{app: running, builds: builds(good), moved: true}, note{}},
		"another branch since the build":      {note{Phase: deploying, Build: "b1"}, refreshed{app: running, builds: builds(bad, good), moved: true}, note{Phase: deploying}},
		"another branch, and it is down":      {note{}, refreshed{app: down, builds: builds(good), moved: true}, note{Phase: deploying}},
		"another branch, without builds":      {note{}, refreshed{app: down, moved: true}, note{}},
		"another branch, not built":           {note{}, refreshed{app: running, builds: builds(bad, good), moved: true}, note{Phase: deploying}},
		"another branch during another job":   {note{Phase: changing, Job: "j", Sent: []string{"public"}}, refreshed{app: down, builds: builds(bad, good), moved: true}, note{Phase: deploying, Job: "j", Sent: []string{"public"}}},
		"another branch during a build":       {note{Phase: deploying, Build: "b2"}, refreshed{app: running, builds: builds(bad, good), moved: true}, note{Phase: deploying, Build: "b2"}},
		"a secret variable is gone":           {note{}, refreshed{app: running, builds: builds(good), lacksSecrets: true}, note{Phase: changing, Sent: []string{"env"}}},
		"a secret variable is gone, and more": {note{Phase: changing, Job: "j", Sent: []string{"links"}}, refreshed{app: running, builds: builds(bad), lacksSecrets: true}, note{Phase: changing, Job: "j", Sent: []string{"env", "links"}}},
	} {
		if diff := cmp.Diff(row.want, row.noted.refresh(row.found)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// Each attribute that a step sends becomes unknown if the step's end is not seen.
func TestSentAttributesBecomeUnknown(t *testing.T) {
	var all client.AppSettings
	for _, field := range reflect.ValueOf(&all).Elem().Fields() {
		field.FieldByName("Set").SetBool(true)
	}
	for _, name := range client.Names(all) {
		if m := plainApp(); reflect.DeepEqual(m.withUnknown([]string{name}), m) {
			t.Errorf("%s: got it known, want it unknown: appSettings in internal/provider/app/app_model.go lacks it", name)
		}
	}
}
