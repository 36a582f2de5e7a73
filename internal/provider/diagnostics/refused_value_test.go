package diagnostics

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

func TestAttributeOf(t *testing.T) {
	engines := path.Root("engines")
	for _, row := range []struct {
		request, field string
		want           path.Path // empty if no argument is found
	}{
		{"/instances", "name", path.Root("name")},
		{"/instances", "tier", path.Root("plan")},
		{"/instances", "region", path.Root("region")},
		{"/instances", "engines", engines},
		{"/instances", "engines.auth", engines.AtMapKey("auth")},
		{"/instances/i-1/engines", "engines.redis", engines.AtMapKey("redis")},
		{"/instances/i-1/engines", "engines.redis.memory_mb", engines.AtMapKey("redis").AtName("memory_mb")},
		{"/instances/i-1/engines", "engines.redis.flavour", engines.AtMapKey("redis")},
		{"/instances/i-1/apps/import", "engines", path.Root("instance_id")},
		{"/instances/i-1/postgres/databases", "engines", path.Root("instance_id")},
		{"/instances/i-1/apps/import", "memory_mb", path.Root("memory_mb")},
		{"/instances/i-1/apps/import", "env", path.Root("env")},
		{"/instances/i-1/apps/import", "env.PORT", path.Root("env").AtMapKey("PORT")},
		{"/instances/i-1/allowlist", "allowlist", path.Root("cidrs")},
		{"/instances/i-1/sql-console", "mode", path.Root("mode")},
		{"/me", "vat_id", path.Root("vat_id")},
		{"/instances", "status", path.Empty()},
		{"/instances", "The", path.Empty()},
		{"/instances", "", path.Empty()},
	} {
		got, ok := attributeOf(row.request, row.field)
		if !got.Equal(row.want) || ok == row.want.Equal(path.Empty()) {
			t.Errorf("attributeOf(%s, %s): got %s, %v, want %s", row.request, row.field, got, ok, row.want)
		}
	}
}

func TestRefusedValueStandsOnItsAttribute(t *testing.T) {
	var diags diag.Diagnostics
	refused := &transport.APIError{Status: 422, Code: "validation_failed", Detail: "health_path: it must begin with a slash", Method: "POST", Path: "/instances/i-1/apps/import"}
	AddClientError(&diags, "Unable to create app web", fmt.Errorf("app web: %w", refused))
	AddClientError(&diags, "Unable to create app web", refused)
	want := "health_path: it must begin with a slash (POST /instances/i-1/apps/import answered 422 validation_failed).\n\n" +
		"Set health_path to a value that the service accepts, then apply again."
	at, ok := diags[0].(diag.DiagnosticWithPath)
	if !ok || !at.Path().Equal(path.Root("health_path")) {
		t.Errorf("the first diagnostic: got %v, want one at health_path", diags[0])
	}
	if got := diags[1].Detail(); got != want {
		t.Errorf("the second detail: got\n%s\nwant\n%s", got, want)
	}
}

func TestSentFrom(t *testing.T) {
	refused := &transport.APIError{Status: 422, Code: "validation_failed", Detail: "env.TOKEN: it must not be empty", Method: "PATCH", Path: "/instances/i-1/apps/web"}
	for field, want := range map[string]path.Path{"env.TOKEN": path.Root("secret_env_wo"), "env.OTHER": path.Root("env").AtMapKey("TOKEN"), "port": path.Root("env").AtMapKey("TOKEN")} {
		if got, ok := refusedAttribute(SentFrom("secret_env_wo", field, fmt.Errorf("app web: %w", refused))); !ok || !got.Equal(want) {
			t.Errorf("sent from %s: got the argument %s, want %s", field, got, want)
		}
	}
}
