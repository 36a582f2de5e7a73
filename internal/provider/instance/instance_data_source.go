package instance

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
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &instanceDataSource{}

// NewDataSource returns the data source hosting_instance.
func NewDataSource() datasource.DataSource { return &instanceDataSource{} }

type instanceDataSource struct{ base.DataSource }

func (d *instanceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

func (d *instanceDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := instanceRecordAttributes(ctx)
	all["id"] = schema.StringAttribute{
		Optional: true, Computed: true,
		Validators:          []validator.String{attributes.OneOfTwo("id", "name", stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name")))},
		MarkdownDescription: "Id. Set this or `name`.",
	}
	all["name"] = schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Name. Set this or `id`. It is an error if no instance has it, or more than one.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "One instance, by id or name. Use it to refer to an instance that another configuration manages.",
		Attributes:          all,
	}
}

func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instanceRecordModel
	if !d.Begin(ctx, req, resp, &model) {
		return
	}
	var instance client.Instance
	var err error
	if id := model.ID.ValueString(); id != "" {
		instance, err = d.Client.RefreshInstance(ctx, id)
	} else {
		instance, err = d.byName(ctx, model.Name.ValueString(), &resp.Diagnostics)
	}
	if errors.Is(err, client.ErrNotFound) {
		diagnostics.AddNoInstance(&resp.Diagnostics, "id", model.ID.ValueString())
		return
	}
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the instance", err)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	model.setRecord(instance)
	model.readHost(ctx, d.Client)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// byName returns the only instance with a name.
func (d *instanceDataSource) byName(ctx context.Context, name string, diags *diag.Diagnostics) (client.Instance, error) {
	instances, err := d.Client.Instances(ctx)
	if err != nil {
		return client.Instance{}, err
	}
	var found []client.Instance
	for _, instance := range instances {
		if instance.Name.Value == name {
			found = append(found, instance)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		names := diagnostics.IdsOf(instances, func(i client.Instance) string { return i.Name.Value })
		diags.AddAttributeError(path.Root("name"), "Unknown instance", diagnostics.NoSuch("instance named", name, names))
	default:
		diags.AddAttributeError(path.Root("name"), "More than one instance with that name",
			fmt.Sprintf("The instances %[2]s are all named %[1]q. Set id to the id of one of them instead.", name, strings.Join(diagnostics.IdsOf(found, client.Instance.Identifier), ", ")))
	}
	return client.Instance{}, nil
}
