package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

func TestTags(t *testing.T) {
	null, unknown := types.SetNull(types.StringType), types.SetUnknown(types.StringType)
	for name, row := range map[string]struct {
		own      types.Set
		defaults []string
		all      types.Set
		// recorded are the tags that a record shows, and read what is then the
		// instance's own.
		recorded []string
		read     types.Set
	}{
		"none":                       {null, nil, noTexts, nil, null},
		"none, written as []":        {noTexts, nil, noTexts, []string{}, noTexts},
		"its own":                    {texts("a"), nil, texts("a"), []string{"a"}, texts("a")},
		"default ones":               {null, []string{"d"}, texts("d"), []string{"d"}, null},
		"both":                       {texts("a"), []string{"d"}, texts("a", "d"), []string{"d", "a"}, texts("a")},
		"a default one named, too":   {texts("a", "d"), []string{"d"}, texts("a", "d"), []string{"a", "d"}, texts("a", "d")},
		"somebody has added one":     {texts("a"), []string{"d"}, texts("a", "d"), []string{"a", "d", "x"}, texts("a", "x")},
		"somebody has taken them":    {texts("a"), []string{"d"}, texts("a", "d"), []string{}, null},
		"not known":                  {unknown, []string{"d"}, unknown, []string{"a", "d"}, texts("a")},
		"one of them not known":      {types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()}), []string{"d"}, unknown, []string{"a", "d"}, texts("a")},
		"imported, with default one": {null, []string{"d"}, texts("d"), []string{"a", "d"}, texts("a")},
	} {
		if all := tagsAll(row.own, row.defaults); !all.Equal(row.all) {
			t.Errorf("%s: %s, want %s", name, all, row.all)
		}
		m := instanceModel{Tags: row.own, TagsAll: unknown}
		m.setRecord(client.Instance{Tags: client.Some(row.recorded)}, row.defaults)
		if want := setOf(row.recorded, unknown); !m.Tags.Equal(row.read) || !m.TagsAll.Equal(want) {
			t.Errorf("%s: read as %s of %s, want %s of %s", name, m.Tags, m.TagsAll, row.read, want)
		}
	}
}
