package settings

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// A setting is sent without a comparison.
func TestOldSettingDoesNotPassForThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, c := providertest.LaggingReads(t, "/instances/i-one", "console_mode", "off")
		fake.AddInstance(fakeservice.Instance{ID: "i-one", Plan: "large", ConsoleMode: "rw", Engines: map[string]*fakeservice.Engine{"postgres": {}}})
		r := newConsoleModeSetting()
		r.Client, r.Planned = c, planning.New()
		var diags diag.Diagnostics
		planned := consoleModeModel{InstanceID: types.StringValue("i-one"), Mode: types.StringValue("off")}
		if _, err := r.put(t.Context(), &planned, nil, time.Minute, &diags); err != nil {
			t.Fatal(err)
		}
		if i, _ := fake.Instance("i-one"); i.ConsoleMode != "off" {
			t.Errorf("got mode %s, want off", i.ConsoleMode)
		}
	})
}
