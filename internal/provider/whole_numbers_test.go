package provider

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestFractionsIn(t *testing.T) {
	engine := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"memory_mb": tftypes.Number}}
	block := tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"port": tftypes.Number, "requests_per_second": tftypes.Number, "engines": tftypes.Map{ElementType: engine}, "name": tftypes.String,
	}}
	for name, row := range map[string]struct {
		port, rate, budget any
		want               []string
	}{
		"whole":   {3000, 1, 512, nil},
		"null":    {nil, nil, nil, nil},
		"unknown": {tftypes.UnknownValue, nil, tftypes.UnknownValue, nil},
		"fractions": {3000.5, nil, 512.25, []string{
			`engines["redis"].memory_mb must be a whole number, not 512.25; floor() and ceil() round it.`,
			"port must be a whole number, not 3000.5; floor() and ceil() round it.",
		}},
		"a rate": {3000, 0.3, 512, nil},
	} {
		var got []string
		for _, d := range fractionsIn(tftypes.NewValue(block, map[string]tftypes.Value{
			"port":                tftypes.NewValue(tftypes.Number, row.port),
			"requests_per_second": tftypes.NewValue(tftypes.Number, row.rate),
			"engines": tftypes.NewValue(tftypes.Map{ElementType: engine}, map[string]tftypes.Value{
				"redis": tftypes.NewValue(engine, map[string]tftypes.Value{"memory_mb": tftypes.NewValue(tftypes.Number, row.budget)}),
			}),
			"name": tftypes.NewValue(tftypes.String, "web"),
		})) {
			got = append(got, d.Detail)
		}
		if slices.Sort(got); !slices.Equal(got, row.want) {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
