package connection

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestLibpqEnv(t *testing.T) {
	rows := map[string]struct {
		url, ca  string
		want     map[string]string
		argument int64 // the argument of the error
	}{
		"all": {"postgresql://o%40wner:p%3Aw@h.example:5433/app?sslmode=disable", "/ca.pem", map[string]string{
			"PGHOST": "h.example", "PGPORT": "5433", "PGUSER": "o@wner", "PGPASSWORD": "p:w", "PGDATABASE": "app", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/ca.pem",
		}, 0},
		"the example": {"postgresql://owner:secret@shop.example:5432/main", "/etc/ssl/shop-ca.pem", map[string]string{
			"PGDATABASE": "main", "PGHOST": "shop.example", "PGPASSWORD": "secret", "PGPORT": "5432", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "/etc/ssl/shop-ca.pem", "PGUSER": "owner",
		}, 0},
		"the least": {"postgres://h.example", "ca.pem", map[string]string{
			"PGHOST": "h.example", "PGPORT": "5432", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "ca.pem",
		}, 0},
		"IPv6": {"postgres://[::1]:1/d", "c", map[string]string{"PGHOST": "::1", "PGPORT": "1", "PGDATABASE": "d", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "c"}, 0},
		"parameters": {"postgres://h.example/d?options=-c%20search_path%3Dapp+x&connect_timeout=5&application_name=a%26b&connect_timeout=7&sslrootcert=other&target_session_attrs=read-write", "c", map[string]string{
			"PGHOST": "h.example", "PGPORT": "5432", "PGDATABASE": "d", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "c",
			"PGOPTIONS": "-c search_path=app+x", "PGCONNECT_TIMEOUT": "7", "PGAPPNAME": "a&b", "PGTARGETSESSIONATTRS": "read-write",
		}, 0},
		"parameters in place of parts": {"postgres://h.example?user=o&password=p&dbname=d&port=1", "c", map[string]string{
			"PGHOST": "h.example", "PGPORT": "1", "PGUSER": "o", "PGPASSWORD": "p", "PGDATABASE": "d", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "c"}, 0},
		"an empty query":    {"postgres://h.example?", "c", map[string]string{"PGHOST": "h.example", "PGPORT": "5432", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "c"}, 0},
		"no variable":       {"postgres://h.example/d?keepalives_idle=5", "c", nil, 0},
		"another's":         {"postgres://h.example/d?pgbouncer=true", "c", nil, 0},
		"no value":          {"postgres://h.example/d?connect_timeout", "c", nil, 0},
		"no name":           {"postgres://h.example/d?canary@x", "c", nil, 0},
		"of another driver": {"postgres://h.example/d?ssl=true&sslmode=require", "c", map[string]string{"PGHOST": "h.example", "PGPORT": "5432", "PGDATABASE": "d", "PGSSLMODE": "verify-full", "PGSSLROOTCERT": "c"}, 0},
		"a malformed value": {"postgres://h.example/d?options=%zz", "c", nil, 0},
		"no URL":            {"postgres://h:p%zz", "c", nil, 0},
		"another kind":      {"mysql://h/d", "c", nil, 0},
		"no host":           {"postgres:///d", "c", nil, 0},
		"no file":           {"postgres://h/d", "", nil, 1},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			got, err := libpqEnv(row.url, row.ca)
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("libpqEnv (-want +got):\n%s", diff)
			}
			if (err != nil) != (row.want == nil) || err != nil && *err.FunctionArgument != row.argument {
				t.Errorf("libpqEnv: got error %v, want one about argument %d: %t", err, row.argument, row.want == nil)
			}
		})
	}
}

func TestPooledURL(t *testing.T) {
	for raw, want := range map[string]string{
		"postgresql://o:p@h.example:5432/d?sslmode=verify-full": "postgresql://o:p@h.example:6432/d?sslmode=verify-full",
		"postgresql://owner:secret@shop.example:5432/main":      "postgresql://owner:secret@shop.example:6432/main", // as in the example
		"postgres://h.example/d":                                "postgres://h.example:6432/d",
		"postgres://o:p%40@[::1]:5432/d":                        "postgres://o:p%40@[::1]:6432/d",
		"redis://h":                                             "",
		"postgres://":                                           "",
	} {
		got, err := pooledURL(raw)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("pooledURL(%s) = %s, %v, want %q", raw, got, err, want)
		}
	}
}

func TestWebhookSignature(t *testing.T) {
	// The test vector of RFC 4231, case 2.
	want := "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	const example = "sha256=904253991b55db5c1bfe1aa571fd407b592220498b738eacbee827f39cc8d872"
	if got := webhookSignature(`{"type":"ready"}`, "the endpoint's secret"); got != example {
		t.Errorf("webhookSignature of the example: got %s, want %s", got, example)
	}
	if got := webhookSignature("what do ya want for nothing?", "Jefe"); got != want {
		t.Errorf("webhookSignature: got %s, want %s", got, want)
	}
}

// TestWebhookSignatureOfADelivery computes the signature of the delivery that package
// webhook is tested with.
func TestWebhookSignatureOfADelivery(t *testing.T) {
	body, err := os.ReadFile("../../../webhook/testdata/delivery.json")
	if err != nil {
		t.Fatal(err)
	}
	want := "sha256=bf36ae2f2f54cee3864e4b10fb2f996843ecd3402ff39e32a64a8369730e93be" // computed with openssl
	if got := webhookSignature(string(body), "whsec-of-the-fixture"); got != want {
		t.Errorf("got signature %s, want %s", got, want)
	}
}

// TestFunctionsAreCalled calls each function as Terraform does, with arguments that it
// accepts and with others.
func TestFunctionsAreCalled(t *testing.T) {
	text := types.StringValue
	for _, row := range []struct {
		of        function.Function
		arguments []attr.Value
		want      string // "" if it is an error
	}{
		{NewLibpqEnvFunction(), []attr.Value{text("postgres://h"), text("ca.pem")}, `{"PGHOST":"h","PGPORT":"5432","PGSSLMODE":"verify-full","PGSSLROOTCERT":"ca.pem"}`},
		{NewLibpqEnvFunction(), []attr.Value{text("mysql://h"), text("ca.pem")}, ""},
		{NewPooledURLFunction(), []attr.Value{text("postgres://h/d")}, `"postgres://h:6432/d"`},
		{NewPooledURLFunction(), []attr.Value{text("mysql://h/d")}, ""},
		{NewWebhookSignatureFunction(), []attr.Value{text("what do ya want for nothing?"), text("Jefe")}, `"sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"`},
		{NewWebhookSignatureFunction(), []attr.Value{text("what do ya want for nothing?"), text("")}, ""},
		{NewLibpqEnvFunction(), []attr.Value{types.BoolValue(true), text("ca.pem")}, ""},
		{NewPooledURLFunction(), []attr.Value{types.BoolValue(true)}, ""},
		{NewWebhookSignatureFunction(), []attr.Value{types.BoolValue(true), text("Jefe")}, ""},
	} {
		var definition function.DefinitionResponse
		row.of.Definition(t.Context(), function.DefinitionRequest{}, &definition)
		result, err := definition.Definition.Return.NewResultData(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		resp := function.RunResponse{Result: result}
		row.of.Run(t.Context(), function.RunRequest{Arguments: function.NewArgumentsData(row.arguments)}, &resp)
		if (resp.Error != nil) != (row.want == "") {
			t.Errorf("%T: got error %v, want one: %t", row.of, resp.Error, row.want == "")
		}
		if got := resp.Result.Value().String(); row.want != "" && got != row.want {
			t.Errorf("%T: got %s, want %s", row.of, got, row.want)
		}
	}
}
