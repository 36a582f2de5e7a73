package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
)

// Two instances with everything, in each shape. For the provider and for its floors, every
// state that is copied from one row must lead to an empty plan. Nothing here depends on
// durations.
func TestPlansOfTwo(t *testing.T) {
	t.Parallel()
	cli := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if os.Getenv("TF_ACC") == "" || cli == "" {
		machine.Lacks(t, "plans run only with TF_ACC=1 and TF_ACC_TERRAFORM_PATH")
	}
	b, err := newBench(t.Context(), options{
		tree: "../..", cli: cli, sizes: []int{2}, repeats: 1, shapes: []shape{byCount, byForEach, byModule}, contents: []string{"full"},
	}, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.remove)
	made, err := b.plan()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := made.print(&out); err != nil {
		t.Fatal(err)
	}
	t.Log(out.String())
	if len(made.Rows) != 3*3 {
		t.Errorf("rows: got %d, want %d", len(made.Rows), 3*3)
	}
	for _, r := range made.Rows {
		asks := r["provider"] == ours
		if r["resources"] != 12 || (r["requests"] != 0) != asks {
			t.Errorf("a row: got %v, want 12 resources, and requests if and only if the provider is %s", r, ours)
		}
		if columns := []string{"CLI ms", "wall s"}; slices.ContainsFunc(columns, func(name string) bool { return r[name] == nil }) {
			t.Errorf("a row: got %v, want a value of each of %v", r, columns)
		}
	}
	started, err := b.start()
	if err != nil {
		t.Fatal(err)
	}
	if schema, ok := started.Rows[0]["schema KiB"].(float64); !ok || schema < 10 {
		t.Errorf("the KiB of the schema: got %v, want at least 10", started.Rows[0]["schema KiB"])
	}
}
