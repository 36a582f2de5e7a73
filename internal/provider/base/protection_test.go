package base_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/planning"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// If the protection of an object cannot be read, nothing is deleted.
func TestDeletionOfUnknownProtection(t *testing.T) {
	c := providertest.Client(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("requests: got %s %s, want none", r.Method, r.URL.Path)
	}))
	r := base.Resource{Data: base.Data{Client: c, Planned: planning.New()}}
	unreadable := errors.New("unreadable")
	var diags diag.Diagnostics
	err := r.DeleteObject(t.Context(), base.Deletion{
		InstanceID: "i-1", Timeout: time.Minute, Operation: client.OpAppDelete,
		IsProtected: func(context.Context, *client.Turn) (bool, error) { return false, unreadable },
		Send: func(ctx context.Context, turn *client.Turn, guard client.DeleteGuard) (client.Pending, error) {
			return turn.DeleteApp(ctx, "web", guard)
		},
	}, &diags)
	if !errors.Is(err, unreadable) || len(diags) > 0 {
		t.Errorf("the deletion: got error %v and %v, want only that the protection is unreadable", err, diags)
	}
}
