package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

func TestTags(t *testing.T) {
	null, unknown := types.SetNull(types.StringType), types.SetUnknown(types.StringType)
	oneUnknown := types.SetValueMust(types.StringType, []attr.Value{types.StringUnknown()})
	for name, row := range map[string]struct {
		own, defaults, all types.Set
		before             types.Set // tags_all as last written
		// recorded are the tags in the record, and read is the value of tags after
		// reading it.
		recorded []string
		read     types.Set
	}{
		"none":                       {null, null, noTexts, null, nil, null},
		"none, written as []":        {noTexts, null, noTexts, noTexts, []string{}, noTexts},
		"its own":                    {texts("a"), null, texts("a"), texts("a"), []string{"a"}, texts("a")},
		"default ones":               {null, texts("d"), texts("d"), texts("d"), []string{"d"}, null},
		"both":                       {texts("a"), texts("d"), texts("a", "d"), texts("a", "d"), []string{"d", "a"}, texts("a")},
		"a default one named, too":   {texts("a", "d"), texts("d"), texts("a", "d"), texts("a", "d"), []string{"a", "d"}, texts("a", "d")},
		"somebody has added one":     {texts("a"), texts("d"), texts("a", "d"), texts("a", "d"), []string{"a", "d", "x"}, texts("a", "x")},
		"somebody has taken them":    {texts("a"), texts("d"), texts("a", "d"), texts("a", "d"), []string{}, null},
		"not known":                  {unknown, texts("d"), unknown, null, []string{"a", "d"}, texts("a")},
		"one of them not known":      {oneUnknown, texts("d"), unknown, null, []string{"a", "d"}, texts("a")},
		"imported, with default one": {null, texts("d"), texts("d"), null, []string{"a", "d"}, texts("a")},
		"made by an older provider":  {texts("a"), texts("d"), texts("a", "d"), null, []string{"a"}, texts("a")},
		"another default one now":    {texts("a"), texts("e"), texts("a", "e"), texts("a", "d"), []string{"a", "d"}, texts("a")},
		"a default one given up":     {texts("a"), null, texts("a"), texts("a", "d"), []string{"a", "d"}, texts("a")},
		"default ones not known":     {texts("a"), unknown, unknown, texts("a", "d"), []string{"a", "d", "x"}, texts("a", "x")},
		"a default one not known":    {texts("a"), oneUnknown, unknown, texts("a", "d"), []string{"a", "d"}, texts("a")},
	} {
		if all := tagsAll(row.own, row.defaults); !all.Equal(row.all) {
			t.Errorf("%s: %s, want %s", name, all, row.all)
		}
		m := instanceModel{Tags: row.own, TagsAll: row.before}
		m.setRecord(client.Instance{Tags: client.Some(row.recorded)}, row.defaults)
		if want := setOf(row.recorded, unknown); !m.Tags.Equal(row.read) || !m.TagsAll.Equal(want) {
			t.Errorf("%s: read as %s of %s, want %s of %s", name, m.Tags, m.TagsAll, row.read, want)
		}
	}
}
