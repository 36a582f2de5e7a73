package attributes

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

type model struct {
	Text   types.String `tfsdk:"text"`
	Number types.Int64  `tfsdk:"number"`
	Yes    types.Bool   `tfsdk:"yes"`
	Words  types.Set    `tfsdk:"words"`
	Local  types.String `tfsdk:"local"` // the service does not know it
}

type record struct {
	Text   client.Maybe[string]   `json:"text,omitzero"`
	Number client.Maybe[int64]    `json:"number,omitzero"`
	Yes    client.Maybe[bool]     `json:"yes,omitzero"`
	Words  client.Maybe[[]string] `json:"words,omitzero"`
	Hidden client.Maybe[string]   `json:"hidden,omitzero"` // Terraform does not know it
}

func words(all ...string) types.Set { return SetOf(all, types.SetUnknown(types.StringType)) }

var (
	unknowns = model{types.StringUnknown(), types.Int64Unknown(), types.BoolUnknown(), types.SetUnknown(types.StringType), types.StringValue("local")}
	nulls    = model{Words: types.SetNull(types.StringType), Local: types.StringValue("local")}
	empties  = model{Text: types.StringValue(""), Words: words(), Local: types.StringValue("local")}
	first    = model{types.StringValue("a"), types.Int64Value(1), types.BoolValue(true), words("a", "b"), types.StringValue("local")}
	second   = model{types.StringValue("b"), types.Int64Value(2), types.BoolValue(false), words("b"), types.StringValue("local")}
	shown    = record{client.Some("b"), client.Some[int64](2), client.Some(false), client.Some([]string{"b"}), client.Some("hidden")}
	none     = record{Text: client.Some(""), Words: client.Some([]string{})}
)

func TestTakeRecord(t *testing.T) {
	for name, row := range map[string]struct {
		before model
		record record
		want   model
	}{
		"everything is there":            {first, shown, second},
		"the record lacks it":            {first, record{}, first},
		"the record lacks what is known": {unknowns, record{}, nulls},
		"none, and null is written":      {nulls, none, nulls},
		"none, and empty is written":     {empties, none, empties},
		"none now":                       {first, none, model{types.StringNull(), first.Number, first.Yes, nulls.Words, first.Local}},
	} {
		if TakeRecord(&row.before, &row.record); !cmp.Equal(row.before, row.want) {
			t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(row.want, row.before))
		}
	}
}

func TestChangedSettings(t *testing.T) {
	all := []string{"number", "text", "words", "yes"}
	for name, row := range map[string]struct {
		prior, planned model
		changed        []string
		request        record
	}{
		"nothing":          {first, first, nil, record{}},
		"everything":       {first, second, all, record{shown.Text, shown.Number, shown.Yes, shown.Words, client.Maybe[string]{}}},
		"unknown before":   {unknowns, second, all, record{shown.Text, shown.Number, shown.Yes, shown.Words, client.Maybe[string]{}}},
		"not known yet":    {first, unknowns, nil, record{}},
		"left out":         {first, nulls, []string{"words"}, record{Words: none.Words}},
		"emptied":          {first, empties, []string{"text", "words"}, record{Text: none.Text, Words: none.Words}},
		"empty, not null":  {nulls, empties, nil, record{}},
		"null, not empty":  {empties, nulls, nil, record{}},
		"another order":    {model{Words: words("b", "a")}, model{Words: words("a", "b")}, nil, record{}},
		"what is local":    {model{Local: types.StringValue("a")}, model{Local: types.StringValue("b")}, []string{"local"}, record{}},
		"none was unknown": {unknowns, nulls, []string{"words"}, record{Words: none.Words}},
	} {
		changed := Changed(&row.prior, &row.planned)
		var request record
		Request(&row.planned, &request, changed)
		if !slices.Equal(changed, row.changed) || !cmp.Equal(request, row.request) {
			t.Errorf("%s: got %v and %+v, want %v and %+v", name, changed, request, row.changed, row.request)
		}
	}
}

func TestForgottenAndCopiedSettings(t *testing.T) {
	m := first
	Forget(&m, []string{"number", "text", "words", "yes"})
	if !cmp.Equal(m, unknowns) || !slices.Equal(Differing(&m, &first), []string{"number", "text", "words", "yes"}) {
		t.Errorf("Forget: got %v, and %v differ, want all unknown", m, Differing(&m, &first))
	}
	forgotten := model{Words: nulls.Words, Local: types.StringValue("local"), Yes: types.BoolValue(true)}
	if ForgetNulls(&forgotten); !forgotten.Text.IsUnknown() || !forgotten.Number.IsUnknown() || !forgotten.Words.IsNull() || forgotten.Yes.IsUnknown() {
		t.Errorf("ForgetNulls: got %v, want the text and the number unknown", forgotten)
	}
	Copy(&second, &m, []string{"number", "words"})
	want := unknowns
	want.Number, want.Words = second.Number, second.Words
	if !cmp.Equal(m, want) || !slices.Equal(Names(&m), []string{"local", "number", "text", "words", "yes"}) {
		t.Errorf("Copy: got %v of %v, want %v", m, Names(&m), want)
	}
}
