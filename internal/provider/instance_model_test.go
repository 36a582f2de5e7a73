package provider

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// What the evidence in a state says of an instance.
func TestInstanceEvidence(t *testing.T) {
	for name, row := range map[string]struct {
		status, host, ca                      string
		creating                              bool
		runs, unfinished, neverRan, unguarded bool
	}{
		"never read":                           {unfinished: true},
		"being created":                        {status: "creating", creating: true, unfinished: true, neverRan: true, unguarded: true},
		"being created, with a host already":   {status: "creating", host: "h", creating: true, unfinished: true},
		"imported while it reads creating":     {status: "creating", unfinished: true},
		"creating once more":                   {status: "creating", host: "h"},
		"creation failed":                      {status: "failed", creating: true, neverRan: true, unguarded: true},
		"failed after it ran":                  {status: "failed", ca: "c"},
		"failed after it ran, note left":       {status: "failed", ca: "c", creating: true},
		"imported failed":                      {status: "failed"},
		"running":                              {status: "running", runs: true},
		"running, note left":                   {status: "running", creating: true, runs: true},
		"being deleted":                        {status: "deleting", host: "h", unguarded: true},
		"another word, has run":                {status: "restarting", host: "h", runs: true},
		"another word, has a certificate":      {status: "restarting", ca: "c", runs: true},
		"another word, may never have run":     {status: "preparing", unfinished: true},
		"another word, being created":          {status: "preparing", creating: true, unfinished: true, neverRan: true, unguarded: true},
		"another word, host before it is done": {status: "preparing", host: "h", creating: true, runs: true, unfinished: true},
	} {
		t.Run(name, func(t *testing.T) {
			for _, protection := range []types.Bool{types.BoolNull(), types.BoolValue(true), types.BoolValue(false)} {
				m := instanceModel{Status: stringOrNull(row.status), Host: stringOrNull(row.host), CACertificate: stringOrNull(row.ca), DeletionProtection: protection}
				got := []bool{m.runs(), m.unfinished(row.creating), m.neverRan(row.creating), m.protected(row.creating)}
				want := []bool{row.runs, row.unfinished, row.neverRan, !row.unguarded && (protection.IsNull() || protection.ValueBool())}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("runs, unfinished, neverRan, protected with %s: %s", protection, diff)
				}
			}
		})
	}
}
