package app

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
)

var checkedPlans = client.Plans{
	Plans:   []client.Plan{{ID: "free", MemoryMB: 1024}, {ID: "large", MemoryMB: 8192}},
	Engines: map[string]client.EngineKind{"apps": {FloorMB: 512}, "auth": {FloorMB: 256}},
}

// told returns the diagnostics in short form: E or W, and the summary.
func told(diags diag.Diagnostics) string {
	var lines []string
	for _, d := range diags {
		lines = append(lines, d.Severity().String()[:1]+" "+d.Summary())
	}
	return strings.Join(lines, "; ")
}

func TestCheckAppMemory(t *testing.T) {
	free, _ := checkedPlans.Plan("free")
	with := func(budget int64, planned bool) appHost {
		return appHost{id: "i-1", engines: map[string]int64{"apps": budget}, plan: free, planned: planned}
	}
	for name, c := range map[string]struct {
		memory int64
		host   appHost
		plans  client.Plans
		want   string
	}{
		"enough":                    {512, with(512, true), checkedPlans, ""},
		"under the floor":           {511, with(512, true), checkedPlans, "E App memory below the minimum"},
		"over the budget":           {513, with(512, true), checkedPlans, "W App memory exceeds the apps engine"},
		"a budget not known":        {1024, with(0, true), checkedPlans, ""},
		"over the planned plan":     {1025, with(512, true), checkedPlans, "E App memory exceeds the instance's plan"},
		"over the plan at present":  {1025, with(512, false), checkedPlans, "W App memory exceeds the instance's plan"},
		"over the plan to come":     {1025, appHost{plan: free, planned: true}, checkedPlans, "W App memory exceeds the instance's plan"},
		"over the budget to come":   {513, appHost{plan: free, engines: map[string]int64{"apps": 512}, planned: true}, checkedPlans, "W App memory exceeds the apps engine"},
		"over every plan":           {8193, appHost{}, checkedPlans, "E App memory exceeds every plan"},
		"an instance yet to be":     {8192, appHost{}, checkedPlans, ""},
		"a catalogue that is empty": {99999, appHost{}, client.Plans{}, ""},
	} {
		var diags diag.Diagnostics
		checkAppMemory(c.memory, c.host, c.plans, &diags)
		if got := told(diags); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestWarnOfEnginesOff(t *testing.T) {
	on := map[string]int64{"apps": 512}
	for name, c := range map[string]struct {
		engines []string
		host    appHost
		plans   client.Plans
		want    string
	}{
		"on":                           {[]string{"apps"}, appHost{id: "i-1", engines: on}, checkedPlans, ""},
		"off":                          {[]string{"apps", "auth"}, appHost{id: "i-1", engines: on}, checkedPlans, "W The engine auth is off"},
		"off in the instance's plan":   {[]string{"auth"}, appHost{id: "i-1", engines: on, planned: true}, checkedPlans, "W The engine auth is off"},
		"off in each that comes":       {[]string{"auth"}, appHost{engines: on, planned: true}, checkedPlans, "W The engine auth is off"},
		"none at all":                  {[]string{"apps"}, appHost{id: "i-1", engines: map[string]int64{}}, checkedPlans, "W The engine apps is off"},
		"not known which are on":       {[]string{"auth"}, appHost{}, checkedPlans, ""},
		"misspelt":                     {[]string{"atuh"}, appHost{id: "i-1", engines: on}, checkedPlans, ""},
		"on, and not in the catalogue": {[]string{"mail"}, appHost{id: "i-1", engines: map[string]int64{"mail": 0}}, checkedPlans, ""},
		"no catalogue":                 {[]string{"mail"}, appHost{}, client.Plans{}, ""},
	} {
		var diags diag.Diagnostics
		warnOfEnginesOff(c.engines, c.host, c.plans, &diags)
		if got := told(diags); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// The checks of an app use the plan of its instance, if this process has made one.
func TestHostOfAPlannedInstance(t *testing.T) {
	unknown, known := types.StringUnknown(), types.StringValue("i-1")
	for name, row := range map[string]struct {
		planned []types.String // the ids of the instances that were planned
		of      types.String
		id      string
		budget  int64 // of the apps engine: 512 in the first plan, 513 in the second, 0 if not known
	}{
		"an instance that exists":       {[]types.String{known}, known, "i-1", 512},
		"the one to be created":         {[]types.String{unknown}, unknown, "", 512},
		"the one to be created of two":  {[]types.String{known, unknown}, unknown, "", 513},
		"one of two that differ":        {[]types.String{unknown, unknown}, unknown, "", 0},
		"one that has not been planned": {nil, unknown, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := &appResource{base.Resource{Data: base.Data{Planned: planning.New()}}}
			for n, id := range row.planned {
				r.Planned.NoteInstance(id, "large", map[string]int64{"apps": 512 + int64(n)})
			}
			app := plainApp()
			app.InstanceID = row.of
			host, err := r.hostOf(t.Context(), app, checkedPlans)
			if err != nil || host.id != row.id || host.engines["apps"] != row.budget || host.planned != (row.budget > 0) || (host.plan.ID == "large") != (row.budget > 0) {
				t.Errorf("hostOf: got %+v and error %v, want %s with a budget of %d", host, err, row.id, row.budget)
			}
		})
	}
}
