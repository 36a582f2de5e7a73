package account

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/lists"
)

var _ list.ListResourceWithConfigure = &accountProfileListResource{}

// NewProfileListResource returns the list resource hosting_account_profile.
func NewProfileListResource() list.ListResource { return &accountProfileListResource{} }

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
	if base.RequireClient(r.Client, &diags) {
		account, err := r.Client.Account(ctx)
		if err != nil {
			diagnostics.AddClientError(&diags, "Unable to read the account", err)
		} else {
			accounts = append(accounts, account)
		}
	}
	resp.Results = lists.Results(accounts, req.Limit, diags, func(a client.Account) list.ListResult {
		return lists.NewResult(ctx, req, "profile of "+a.ID, accountProfileIdentity{ID: types.StringValue(a.ID)}, path.Root("id"), a.ID,
			func(m *accountProfileModel, _ *diag.Diagnostics) { m.setRecord(a) })
	})
}
