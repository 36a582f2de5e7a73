package instance

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/privatestate"
)

// A change of the region replaces an instance and deletes its data. The service may keep a
// place under another name than the one that was asked for, or rename it later. So only the
// configuration changes a region: the state keeps what was asked for, and the other name is
// noted.

// replacing returns the argument whose change replaces the instance of a state. kept is the
// noted name of its region, or "".
func (m *instanceModel) replacing(state instanceModel, kept string) base.ReplacingArgument {
	before := state.Region
	if attributes.IsWord(m.Region, before.ValueString()) || attributes.IsWord(m.Region, kept) {
		before = m.Region
	}
	return base.ReplacingArgument{Name: "region", State: before, Plan: m.Region}
}

// keptRegion returns the noted name of an instance's region, or "".
func keptRegion(ctx context.Context, private privatestate.Reader, diags *diag.Diagnostics) string {
	kept, _ := privatestate.Load[string](ctx, private, privatestate.KeptRegionKey, diags)
	return kept
}

// noteRegion notes the name under which a record keeps the region of a state, and warns of
// it. A record without a region says nothing.
func noteRegion(ctx context.Context, private privatestate.ReadWriter, state instanceModel, record client.Instance, diags *diag.Diagnostics) {
	kept := record.Region
	switch {
	case kept == "":
	case attributes.IsWord(state.Region, kept):
		if keptRegion(ctx, private, diags) != "" {
			diags.Append(private.SetKey(ctx, privatestate.KeptRegionKey, nil)...)
		}
	default:
		privatestate.Save(ctx, private, privatestate.KeptRegionKey, kept, diags)
		diags.AddAttributeWarning(path.Root("region"), "The service keeps the region under another name",
			fmt.Sprintf("Instance %s was created in region %q, and the service now returns %q. An instance cannot move, so this is taken for another name of the same place: nothing is replaced.\n\n"+
				"Write region = %q in the configuration. That changes nothing but the state.", state.ID.ValueString(), state.Region.ValueString(), kept, kept))
	}
}
