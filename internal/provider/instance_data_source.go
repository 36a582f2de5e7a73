package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var _ datasource.DataSourceWithConfigure = &instanceDataSource{}

func newInstanceDataSource() datasource.DataSource { return &instanceDataSource{} }

type instanceDataSource struct{ dataSourceBase }

func (d *instanceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "One instance, by its id or its name.",
		Attributes: recordedInstanceWith(map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Optional: true, Computed: true,
				Validators:          []validator.String{oneOfTwo("id", "name", stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name")))},
				MarkdownDescription: "Identifier. Give this or `name`.",
			},
			"name": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Name. Give this or `id`; it is an error if no instance, or more than one, has it.",
			},
		}),
	}
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instanceRecordModel
	if !d.begin(ctx, req, resp, &model) {
		return
	}
	var instance client.Instance
	var err error
	if id := model.ID.ValueString(); id != "" {
		instance, err = d.client.RefreshInstance(ctx, id)
	} else {
		instance, err = d.byName(ctx, model.Name.ValueString(), &resp.Diagnostics)
	}
	if errors.Is(err, client.ErrNotFound) {
		addNoInstance(&resp.Diagnostics, "id", model.ID.ValueString())
		return
	}
	if err != nil {
		addError(&resp.Diagnostics, "Unable to read the instance", err)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	model.setRecord(instance)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// byName finds the one instance of a name.
func (d *instanceDataSource) byName(ctx context.Context, name string, diags *diag.Diagnostics) (client.Instance, error) {
	instances, err := d.client.Instances(ctx)
	if err != nil {
		return client.Instance{}, err
	}
	var found []client.Instance
	for _, instance := range instances {
		if instance.Name == name {
			found = append(found, instance)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		names := idsOf(instances, func(i client.Instance) string { return i.Name })
		diags.AddAttributeError(path.Root("name"), "Unknown instance", noSuch("instance named", name, names))
	default:
		diags.AddAttributeError(path.Root("name"), "More than one instance with that name",
			fmt.Sprintf("The instances %[2]s are all named %[1]q. Set id to the id of one of them instead.", name, strings.Join(idsOf(found, client.Instance.Identifier), ", ")))
	}
	return client.Instance{}, nil
}
