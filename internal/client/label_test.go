package client

import (
	"testing"
	"testing/synctest"
)

// A service may trim a name and store tags in lower case. Its record still shows the
// requested change, even if the answer names no job.
func TestLabelInTheServicesForm(t *testing.T) {
	name, tags := " shop ", []string{"Prod", "eu"}
	for what, change := range map[string]InstanceChange{"a name": {Name: &name}, "tags": {Tags: &tags}} {
		synctest.Test(t, func(t *testing.T) {
			c, wire := newTestClient(t, script{
				"PATCH /instances/i": says(202, object{}),
				"GET /instances/i":   says(200, object{"id": "i", "status": "running", "job_id": nil, "name": "shop", "tags": []string{"eu", "prod"}}),
			}.Serve)
			pending, err := enter(t, c).Update(t.Context(), change)
			if err != nil || pending.JobID != "" {
				t.Errorf("%s: got %+v and %v, want neither a job nor an error\n%s", what, pending, err, wire.Requests())
			}
		})
	}
}

// A record that lacks the tags, or has the letters of a name in another case, does not show
// the change.
func TestLabelThatIsNotShown(t *testing.T) {
	name, tags := "shop", []string{"prod"}
	for what, row := range map[string]struct {
		change InstanceChange
		record object
	}{
		"a hidden field":  {InstanceChange{Tags: &tags}, object{"id": "i", "status": "running", "job_id": nil, "name": "shop"}},
		"other tags":      {InstanceChange{Tags: &tags}, object{"id": "i", "status": "running", "job_id": nil, "name": "shop", "tags": []string{"old"}}},
		"another name":    {InstanceChange{Name: &name}, object{"id": "i", "status": "running", "job_id": nil, "name": "Shop", "tags": []string{}}},
		"only one of two": {InstanceChange{Name: &name, Tags: &tags}, object{"id": "i", "status": "running", "job_id": nil, "name": "shop", "tags": []string{}}},
	} {
		synctest.Test(t, func(t *testing.T) {
			c, _ := newTestClient(t, script{"PATCH /instances/i": says(202, object{}), "GET /instances/i": says(200, row.record)}.Serve)
			pending, err := enter(t, c).Update(t.Context(), row.change)
			if !isAs[*NoProofError](err) {
				t.Errorf("%s: got %+v and error %v, want a *NoProofError", what, pending, err)
			}
		})
	}
}
