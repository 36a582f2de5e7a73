package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ datasource.DataSourceWithConfigure = &accountDataSource{}

func newAccountDataSource() datasource.DataSource { return &accountDataSource{} }

type accountDataSource struct{ dataSourceBase }

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
	if !requireClient(d.client, &resp.Diagnostics) {
		return
	}
	account, err := d.client.Account(ctx)
	if err != nil {
		addError(&resp.Diagnostics, "Unable to read the account", err)
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, accountModel{
		ID:      types.StringValue(account.ID),
		Email:   stringOrNull(account.Email),
		Name:    stringOrNull(account.Name),
		Company: stringOrNull(account.Company),
		Address: stringOrNull(account.Address),
		VATID:   stringOrNull(account.VATID),
	})...)
}
