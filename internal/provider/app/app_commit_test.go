package app

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestAsksForAnother(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef01234567"
	null := types.StringNull()
	for name, row := range map[string]struct {
		asked, deployed types.String
		want            bool
	}{
		"any":                  {null, types.StringValue(hash), false},
		"the same":             {types.StringValue(hash), types.StringValue(hash), false},
		"its first characters": {types.StringValue(hash[:7]), types.StringValue(hash), false},
		"in capitals":          {types.StringValue("0123456789ABCDEF"), types.StringValue(hash), false},
		"too few of them":      {types.StringValue(hash[:6]), types.StringValue(hash), true},
		"a short one":          {types.StringValue("r6"), types.StringValue("r6"), false},
		"another":              {types.StringValue("f" + hash[1:]), types.StringValue(hash), true},
		"a short record":       {types.StringValue(hash), types.StringValue(hash[:7]), false},
		"another short record": {types.StringValue(hash), types.StringValue("f" + hash[1:7]), true},
		"too short a record":   {types.StringValue(hash), types.StringValue(hash[:6]), true},
		"none is deployed":     {types.StringValue(hash), null, false},
		"not known":            {types.StringUnknown(), types.StringValue(hash), false},
	} {
		plan := appModel{DeployCommit: row.asked}
		if got := plan.asksForAnotherCommit(appModel{Commit: row.deployed}); got != row.want {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}
