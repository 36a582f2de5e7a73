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
	ID      types.String `tfsdk:"id"`
	Email   types.String `tfsdk:"email"`
	Name    types.String `tfsdk:"name"`
	Company types.String `tfsdk:"company"`
	Address types.String `tfsdk:"address"`
	VATID   types.String `tfsdk:"vat_id"`
}

func (d *accountDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_account"
}

func (d *accountDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "The account of the API key, with the profile printed on its receipts. " +
			"Use it to check which account a configuration acts on, or to find the id for `allowed_account_ids`.",
		Attributes: map[string]schema.Attribute{
			"id":      text("Identifier."),
			"email":   text("E-mail address."),
			"name":    text("Name, or null."),
			"company": text("Company, or null."),
			"address": text("Address, or null."),
			"vat_id":  text("VAT number, or null."),
		},
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
	resp.Diagnostics.Append(resp.State.Set(ctx, accountModel{
		ID:      types.StringValue(account.ID),
		Email:   attributes.StringOrNull(account.Email),
		Name:    attributes.StringOrNull(account.Name.Value),
		Company: attributes.StringOrNull(account.Company.Value),
		Address: attributes.StringOrNull(account.Address.Value),
		VATID:   attributes.StringOrNull(account.VATID.Value),
	})...)
}
