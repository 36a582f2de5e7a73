package account

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/attributes"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

var _ datasource.DataSourceWithConfigure = &accountDataSource{}

// NewDataSource returns the data source hosting_account.
func NewDataSource() datasource.DataSource { return &accountDataSource{} }

type accountDataSource struct{ base.DataSource }

type accountModel struct {
	profile
	ID    types.String `tfsdk:"id"`
	Email types.String `tfsdk:"email"`
}

func (d *accountDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_account"
}

func (d *accountDataSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "The account of the API key, with the profile printed on its receipts. " +
			"Use it to check which account a configuration acts on, or to find the id for `allowed_account_ids`.",
		Attributes: attributes.Recorded(ctx, NewProfileResource(), attributes.Names(&profile{}), map[string]schema.Attribute{
			"id":    schema.StringAttribute{Computed: true, MarkdownDescription: "Identifier."},
			"email": schema.StringAttribute{Computed: true, MarkdownDescription: "E-mail address."},
		}),
	}
}

func (d *accountDataSource) Read(ctx context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	if !base.RequireClient(d.Client, &resp.Diagnostics) {
		return
	}
	account, err := d.Client.Account(ctx)
	if err != nil {
		diagnostics.AddClientError(&resp.Diagnostics, "Unable to read the account", err)
		return
	}
	model := accountModel{ID: types.StringValue(account.ID), Email: attributes.StringOrNull(account.Email)}
	attributes.TakeRecord(&model.profile, &account.Profile)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
