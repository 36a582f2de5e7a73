package postgres

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestSameSQL(t *testing.T) {
	for name, row := range map[string]struct {
		a, b types.String
		want bool
	}{
		"equal":                {types.StringValue("SELECT 1"), types.StringValue("SELECT 1"), true},
		"other line endings":   {types.StringValue("SELECT 1;\r\nSELECT 2\r\n"), types.StringValue("SELECT 1;\nSELECT 2\n"), true},
		"a final newline":      {types.StringValue("SELECT 1\n"), types.StringValue("SELECT 1"), true},
		"white space within":   {types.StringValue("SELECT  1"), types.StringValue("SELECT 1"), false},
		"a carriage return":    {types.StringValue("SELECT '\r'"), types.StringValue("SELECT ''"), false},
		"another":              {types.StringValue("SELECT 2"), types.StringValue("SELECT 1"), false},
		"letter case":          {types.StringValue("select 1"), types.StringValue("SELECT 1"), false},
		"unknown":              {types.StringUnknown(), types.StringValue(""), false},
		"none instead of some": {types.StringNull(), types.StringValue(""), false},
		"some instead of none": {types.StringValue(""), types.StringNull(), false},
	} {
		if got := isSameSQL(row.a, row.b); got != row.want {
			t.Errorf("%s: got %t, want %t", name, got, row.want)
		}
	}
}
