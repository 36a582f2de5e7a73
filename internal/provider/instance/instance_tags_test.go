package instance

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
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
		"none":                       {null, null, providertest.Texts(), null, nil, null},
		"none, written as []":        {providertest.Texts(), null, providertest.Texts(), providertest.Texts(), []string{}, providertest.Texts()},
		"its own":                    {providertest.Texts("a"), null, providertest.Texts("a"), providertest.Texts("a"), []string{"a"}, providertest.Texts("a")},
		"default ones":               {null, providertest.Texts("d"), providertest.Texts("d"), providertest.Texts("d"), []string{"d"}, null},
		"both":                       {providertest.Texts("a"), providertest.Texts("d"), providertest.Texts("a", "d"), providertest.Texts("a", "d"), []string{"d", "a"}, providertest.Texts("a")},
		"a default one named, too":   {providertest.Texts("a", "d"), providertest.Texts("d"), providertest.Texts("a", "d"), providertest.Texts("a", "d"), []string{"a", "d"}, providertest.Texts("a", "d")},
		"somebody has added one":     {providertest.Texts("a"), providertest.Texts("d"), providertest.Texts("a", "d"), providertest.Texts("a", "d"), []string{"a", "d", "x"}, providertest.Texts("a", "x")},
		"somebody has taken them":    {providertest.Texts("a"), providertest.Texts("d"), providertest.Texts("a", "d"), providertest.Texts("a", "d"), []string{}, null},
		"not known":                  {unknown, providertest.Texts("d"), unknown, null, []string{"a", "d"}, providertest.Texts("a")},
		"one of them not known":      {oneUnknown, providertest.Texts("d"), unknown, null, []string{"a", "d"}, providertest.Texts("a")},
		"imported, with default one": {null, providertest.Texts("d"), providertest.Texts("d"), null, []string{"a", "d"}, providertest.Texts("a")},
		"made by an older provider":  {providertest.Texts("a"), providertest.Texts("d"), providertest.Texts("a", "d"), null, []string{"a"}, providertest.Texts("a")},
		"another default one now":    {providertest.Texts("a"), providertest.Texts("e"), providertest.Texts("a", "e"), providertest.Texts("a", "d"), []string{"a", "d"}, providertest.Texts("a")},
		"a default one given up":     {providertest.Texts("a"), null, providertest.Texts("a"), providertest.Texts("a", "d"), []string{"a", "d"}, providertest.Texts("a")},
		"default ones not known":     {providertest.Texts("a"), unknown, unknown, providertest.Texts("a", "d"), []string{"a", "d", "x"}, providertest.Texts("a", "x")},
		"a default one not known":    {providertest.Texts("a"), oneUnknown, unknown, providertest.Texts("a", "d"), []string{"a", "d"}, providertest.Texts("a")},
	} {
		if all := tagsAll(row.own, row.defaults); !all.Equal(row.all) {
			t.Errorf("%s: got all tags %s, want %s", name, all, row.all)
		}
		m := instanceModel{Tags: row.own, TagsAll: row.before}
		m.setRecord(client.Instance{InstanceSettings: client.InstanceSettings{Tags: client.Some(row.recorded)}}, row.defaults)
		if want := attributes.SetOf(row.recorded, unknown); !m.Tags.Equal(row.read) || !m.TagsAll.Equal(want) {
			t.Errorf("%s: got %s of %s, want %s of %s", name, m.Tags, m.TagsAll, row.read, want)
		}
	}
}
