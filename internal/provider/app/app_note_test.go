package app

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
)

func TestNoteAfterRead(t *testing.T) {
	t.Parallel()
	running, failed, building := client.App{Status: client.AppRunning}, client.App{Status: client.AppFailed}, client.App{Status: client.AppBuilding}
	good, bad := client.Build{ID: "b-1", Status: "successful"}, client.Build{ID: "b-2", Status: "failed"}
	for name, row := range map[string]struct {
		noted string // as private state has it
		found refreshedApp
		want  base.PendingWork
	}{
		"nothing to note":                     {`{}`, refreshedApp{app: running, builds: []client.Build{good}}, base.PendingWork{}},
		"the build is deployed":               {`{"job":"j","build":"b-1","deploying":true}`, refreshedApp{app: running, builds: []client.Build{good}}, base.PendingWork{}},
		"the newest build is deployed":        {`{"deploying":true}`, refreshedApp{app: running, builds: []client.Build{good}}, base.PendingWork{}},
		"the build has failed":                {`{"build":"b-2","deploying":true}`, refreshedApp{app: running, builds: []client.Build{bad, good}}, base.PendingWork{Build: "b-2", Deploying: true}},
		"the app does not run":                {`{"build":"b-1","deploying":true}`, refreshedApp{app: failed, builds: []client.Build{good}}, base.PendingWork{Build: "b-1", Deploying: true}},
		"the build is not listed":             {`{"build":"b-3","deploying":true}`, refreshedApp{app: running, builds: []client.Build{good}}, base.PendingWork{Build: "b-3", Deploying: true}},
		"a redeploy that was asked for":       {`{"deploying":true,"noted":["b-1"],"triggers":"t"}`, refreshedApp{app: running, builds: []client.Build{good}}, base.PendingWork{Deploying: true, Noted: []string{"b-1"}, Triggers: "t"}},
		"a creation that runs":                {`{"job":"j","build":"b-1","creating":true,"deploying":true}`, refreshedApp{app: running, builds: []client.Build{good}}, base.PendingWork{}},
		"a creation with links to be sent":    {`{"job":"j","build":"b-1","creating":true,"unsure":["links"]}`, refreshedApp{app: running, builds: []client.Build{good}}, base.PendingWork{Unsure: []string{"links"}}},
		"an update of unknown outcome":        {`{"job":"j","unsure":["env"]}`, refreshedApp{app: running, builds: []client.Build{good}}, base.PendingWork{Job: "j", Unsure: []string{"env"}}},
		"a job noted before attributes were":  {`{"job":"j"}`, refreshedApp{app: running, builds: []client.Build{good}}, base.PendingWork{}},
		"a job whose app still builds":        {`{"job":"j"}`, refreshedApp{app: building, builds: []client.Build{good}}, base.PendingWork{Job: "j"}},
		"another branch, built":               {`{}`, refreshedApp{app: running, builds: []client.Build{good}, moved: true}, base.PendingWork{}},
		"another branch, not built":           {`{}`, refreshedApp{app: running, builds: []client.Build{bad, good}, moved: true}, base.PendingWork{Deploying: true}},
		"another branch during another job":   {`{"job":"j","unsure":["public"]}`, refreshedApp{app: failed, builds: []client.Build{bad, good}, moved: true}, base.PendingWork{Job: "j", Unsure: []string{"public"}, Deploying: true}},
		"another branch during a build":       {`{"build":"b-2","deploying":true}`, refreshedApp{app: running, builds: []client.Build{bad, good}, moved: true}, base.PendingWork{Build: "b-2", Deploying: true}},
		"a secret variable is gone":           {`{}`, refreshedApp{app: running, builds: []client.Build{good}, lacksSecrets: true}, base.PendingWork{Unsure: []string{"env"}}},
		"a secret variable is gone, and more": {`{"job":"j","unsure":["links"]}`, refreshedApp{app: running, builds: []client.Build{bad}, lacksSecrets: true}, base.PendingWork{Job: "j", Unsure: []string{"env", "links"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var noted base.PendingWork
			if err := json.Unmarshal([]byte(row.noted), &noted); err != nil {
				t.Fatal(err)
			}
			if got := noteAfterRead(noted, row.found); !reflect.DeepEqual(got, row.want) {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}
