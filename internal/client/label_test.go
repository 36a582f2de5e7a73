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
