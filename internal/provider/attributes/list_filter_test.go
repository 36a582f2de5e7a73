package attributes

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestCanMatch(t *testing.T) {
	known, found := []string{"running", "failed"}, []string{"resting"}
	for _, c := range []struct {
		filter types.String
		want   bool
	}{
		{types.StringNull(), true},
		{types.StringUnknown(), true},
		{types.StringValue("running"), true},
		{types.StringValue("resting"), true}, // an unknown word that a record has
		{types.StringValue("runnin"), false},
		{types.StringValue(""), false},
	} {
		if got := CanMatch(c.filter, known, found); got != c.want {
			t.Errorf("canMatch(%s) = %v, want %v", c.filter, got, c.want)
		}
	}
}
