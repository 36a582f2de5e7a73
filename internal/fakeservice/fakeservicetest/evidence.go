package fakeservicetest

import (
	"os"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/dataplane"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/evidence"
)

// countEvidence makes a fake count the operations that are called, if the environment names
// a folder for the counts. They are written at the end of the test.
func countEvidence(t testing.TB, o *fakeservice.Options) {
	t.Helper()
	folder := os.Getenv(evidence.Folder) //nolint:forbidigo // this package is for tests alone
	if folder == "" {
		return
	}
	_, real := o.DataPlane.(*dataplane.Plane)
	collector, err := evidence.NewCollector(real)
	if err != nil {
		t.Fatal(err)
	}
	o.Answered, o.Called = collector.Count, collector.CountTool
	told := o.PortalDid
	o.PortalDid = func(operation string) {
		collector.CountFace(evidence.Portal, operation)
		if told != nil {
			told(operation)
		}
	}
	t.Cleanup(func() {
		if err := collector.Write(folder); err != nil {
			t.Error(err)
		}
	})
}

// CountClient counts the steps of a client other than the API's as evidence.
func CountClient(t testing.TB, name string, steps int) {
	t.Helper()
	folder := os.Getenv(evidence.Folder) //nolint:forbidigo // this package is for tests alone
	if folder == "" {
		return
	}
	var counts evidence.Counts
	counts.AddClient(name, steps)
	if err := counts.Write(folder); err != nil {
		t.Error(err)
	}
}
