package instance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestRegionThatReplaces(t *testing.T) {
	for name, row := range map[string]struct {
		state, plan types.String
		kept        string
		replaces    bool
	}{
		"the same":                    {types.StringValue("eu"), types.StringValue("eu"), "", false},
		"in another letter case":      {types.StringValue("EU"), types.StringValue("eu"), "", false},
		"the noted name":              {types.StringValue("eu"), types.StringValue("eu-1"), "eu-1", false},
		"the noted name, in capitals": {types.StringValue("eu"), types.StringValue("EU-1"), "eu-1", false},
		"another":                     {types.StringValue("eu"), types.StringValue("us"), "", true},
		"another than the noted name": {types.StringValue("eu"), types.StringValue("us"), "eu-1", true},
		"unknown":                     {types.StringValue("eu"), types.StringUnknown(), "", true},
		"imported without one":        {types.StringNull(), types.StringValue("eu"), "", true},
	} {
		m, state := instanceModel{Region: row.plan}, instanceModel{Region: row.state}
		if a := m.replacing(state, row.kept); a.State.Equal(a.Plan) == row.replaces {
			t.Errorf("%s: got state %s and plan %s, want them to differ: %t", name, a.State, a.Plan, row.replaces)
		}
	}
}
