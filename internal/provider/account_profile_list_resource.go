package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

var _ list.ListResourceWithConfigure = &accountProfileListResource{}

func newAccountProfileListResource() list.ListResource { return &accountProfileListResource{} }

type accountProfileListResource struct{ accountProfileResource }

func (r *accountProfileListResource) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the profile of the API key's account. Use it to import the profile. The list has one result.",
		Attributes:          map[string]schema.Attribute{},
	}
}

func (r *accountProfileListResource) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	var diags diag.Diagnostics
	var accounts []client.Account
	if requireClient(r.client, &diags) {
		account, err := r.client.Account(ctx)
		if err != nil {
			addError(&diags, "Unable to read the account", err)
		} else {
			accounts = append(accounts, account)
		}
	}
	resp.Results = listResults(accounts, req.Limit, diags, func(a client.Account) list.ListResult {
		return newListResult(ctx, req, "profile of "+a.ID, accountProfileIdentity{ID: types.StringValue(a.ID)}, path.Root("id"), a.ID,
			func(m *accountProfileModel, _ *diag.Diagnostics) { m.setRecord(a) })
	})
}
