package actions

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

func TestRotationMessage(t *testing.T) {
	fake := fakeservice.New(fakeservice.Options{APIKey: "key"})
	defer func() { _ = fake.Close() }()
	fake.AddInstance(fakeservice.Instance{ID: "i-4f2a", Name: "shop", Plan: "free", Region: "eu-central"})
	c := providertest.Client(t, fake)
	var diags diag.Diagnostics
	PlanRotate(t.Context(), &Plan{client: c, arguments: map[string]types.String{"instance_id": types.StringValue("i-4f2a")}, diags: &diags})
	providertest.CheckMessage(t, diags, "A rotation replaces all passwords: Rotating instance shop (i-4f2a) replaces every password, in the owner and the read-only URLs, and the auth service key; old ones stop working at once. "+
		"Replace them wherever they are used. The auth anon key stays the same.")
}
