package base

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
)

func TestCheckEngineOn(t *testing.T) {
	with, without := map[string]int64{"postgres": 512}, map[string]int64{"redis": 64}
	const off = "The engine postgres is off"
	for name, row := range map[string]struct {
		instance types.String
		note     func(*planning.Planned)
		recorded map[string]*fakeservice.Engine // nil if no record was read
		want     []string
	}{
		"created without it":        {types.StringUnknown(), func(p *planning.Planned) { p.NoteInstance(types.StringUnknown(), "free", without) }, nil, []string{"Warning: " + off}},
		"created with it":           {types.StringUnknown(), func(p *planning.Planned) { p.NoteInstance(types.StringUnknown(), "free", with) }, nil, nil},
		"created with unknown ones": {types.StringUnknown(), func(p *planning.Planned) { p.NoteInstance(types.StringUnknown(), "", nil) }, nil, nil},
		"not planned":               {types.StringUnknown(), func(*planning.Planned) {}, nil, nil},
		"kept without it":           {types.StringValue("i-1"), func(p *planning.Planned) { p.NoteInstance(types.StringValue("i-1"), "free", without) }, nil, []string{"Error: " + off}},
		"kept with it":              {types.StringValue("i-1"), func(p *planning.Planned) { p.NoteInstance(types.StringValue("i-1"), "free", with) }, nil, nil},
		"turned on by the plan":     {types.StringValue("i-1"), func(p *planning.Planned) { p.NoteInstance(types.StringValue("i-1"), "free", with) }, map[string]*fakeservice.Engine{"redis": {}}, nil},
		"recorded without it":       {types.StringValue("i-1"), func(*planning.Planned) {}, map[string]*fakeservice.Engine{"redis": {}}, []string{"Warning: " + off}},
		"recorded with it":          {types.StringValue("i-1"), func(*planning.Planned) {}, map[string]*fakeservice.Engine{"postgres": {}}, nil},
		"no record was read":        {types.StringValue("i-1"), func(*planning.Planned) {}, nil, nil},
		"recorded before the apply": {types.StringValue("i-1"), func(p *planning.Planned) { p.NoteApply() }, map[string]*fakeservice.Engine{"redis": {}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
			defer func() { _ = fake.Close() }()
			requests := 0
			c, err := client.New(client.Options{BaseURL: "https://hosting.test/api/v1", APIKey: "key", Transport: gateway.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				fake.ServeHTTP(w, r)
			})}})
			if err != nil {
				t.Fatal(err)
			}
			if row.recorded != nil {
				fake.AddInstance(fakeservice.Instance{ID: "i-1", Plan: "small", Engines: row.recorded})
				if _, err := c.RefreshInstance(t.Context(), "i-1"); err != nil {
					t.Fatal(err)
				}
			}
			before := requests
			resource := Resource{Data{Client: c, Planned: planning.New()}}
			row.note(resource.Planned)
			var diags diag.Diagnostics
			resource.CheckEngineOn("postgres", "database", row.instance, &diags)
			var got []string
			for _, d := range diags {
				got = append(got, d.Severity().String()+": "+d.Summary())
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			if requests != before {
				t.Errorf("requests: got %d, want none", requests-before)
			}
		})
	}
}
