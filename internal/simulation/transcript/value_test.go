package transcript

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var (
	engineType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"size": tftypes.String}}
	objectType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"name": tftypes.String, "id": tftypes.String,
		"tags": tftypes.Map{ElementType: tftypes.String}, "engines": tftypes.Map{ElementType: engineType},
	}}
)

func optional(text string) tftypes.Value {
	switch text {
	case "":
		return tftypes.NewValue(tftypes.String, nil)
	case "?":
		return tftypes.NewValue(tftypes.String, tftypes.UnknownValue)
	}
	return tftypes.NewValue(tftypes.String, text)
}

// object returns an object with a tag and the size of an engine, unless they are "".
func object(name, id, tag, size string) tftypes.Value {
	tags, engines := map[string]tftypes.Value{}, map[string]tftypes.Value{
		"a": tftypes.NewValue(engineType, map[string]tftypes.Value{"size": optional(size)}),
	}
	if tag != "" {
		tags[tag] = optional("set")
	}
	return tftypes.NewValue(objectType, map[string]tftypes.Value{
		"name": optional(name), "id": optional(id),
		"tags":    tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, tags),
		"engines": tftypes.NewValue(tftypes.Map{ElementType: engineType}, engines),
	})
}

func TestDepartures(t *testing.T) {
	t.Parallel()
	none := tftypes.NewValue(objectType, nil)
	for name, c := range map[string]struct {
		prior, config, proposed tftypes.Value
		want                    string
	}{
		"creation":                   {none, object("n", "", "t", ""), object("n", "", "t", ""), ""},
		"computed parts are kept":    {object("n", "1", "t", "s"), object("m", "", "t", ""), object("m", "1", "t", "s"), ""},
		"an unknown reference":       {object("n", "1", "t", "s"), object("?", "", "t", ""), object("?", "1", "t", "s"), ""},
		"computed parts are lost":    {object("n", "1", "t", "s"), object("m", "", "t", ""), object("m", "", "t", ""), "null engines.a.size, null id"},
		"configuration is lost":      {object("n", "1", "t", "s"), object("m", "", "t", ""), object("n", "1", "t", "s"), "another name"},
		"an argument is left out":    {object("n", "1", "t", "s"), object("", "", "t", ""), object("", "1", "t", "s"), "null name"},
		"an element is left out":     {object("n", "1", "t", "s"), object("n", "", "", ""), object("n", "1", "", "s"), ""},
		"an element should go":       {object("n", "1", "t", "s"), object("n", "", "", ""), object("n", "1", "t", "s"), "another tags.t"},
		"deletion":                   {object("n", "1", "t", "s"), none, none, ""},
		"a deletion that is not one": {object("n", "1", "t", "s"), none, object("n", "1", "t", "s"), "another object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(departures(c.prior, c.config, c.proposed), ", "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
