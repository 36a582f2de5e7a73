package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/diagnostics"
)

func TestPlacesOf(t *testing.T) {
	const sql = "CREATE TABLE a (id int);\nCREATE TABEL b (id int);\nSELECT id, tabels FROM a;"
	for message, want := range map[string][]string{
		`syntax error at or near "TABEL" (SQLSTATE 42601)`: {`"TABEL" is on line 2`},
		`relation "a" already exists (SQLSTATE 42P07)`:     {`"a" is on the lines 1, 3`},
		`column "tabels" of relation "b" does not exist`:   {`"tabels" is on line 3`, `"b" is on line 2`},
		`role "owner" does not exist`:                      nil,
		`division by zero (SQLSTATE 22012)`:                nil,
		`syntax error at or near "(" (SQLSTATE 42601)`:     {`"(" is on the lines 1, 2`},
		`function "id" is on every line`:                   {`"id" is on the lines 1, 2, 3`},
	} {
		if diff := cmp.Diff(want, placesOf(message, sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", message, diff)
		}
	}
	if got := placesOf(`near "x"`, strings.Repeat("x\n", mostPlaces+1)); got != nil {
		t.Errorf("placesOf a word that is everywhere: got %v, want none", got)
	}
}

func TestScriptErrorSaysThatNothingWasApplied(t *testing.T) {
	refused := &transport.APIError{Status: 422, Code: "sql_error", Detail: `syntax error at or near "TABEL" (SQLSTATE 42601)`, Method: "POST", Path: "/instances/i-1/engines/postgres/query"}
	got := diagnostics.Explain(LocateError(fmt.Errorf("%w", refused), "SELECT 1;\nCREATE TABEL b"))
	want := `Syntax error at or near "TABEL" (SQLSTATE 42601) (POST /instances/i-1/engines/postgres/query answered 422 sql_error).` + "\n\n" +
		`In the script, "TABEL" is on line 2.` + "\n\nNothing was applied, as the statements run in one transaction, unless the script itself commits. Fix the script, then apply again."
	if got != want {
		t.Errorf("the error: got\n%s\nwant\n%s", got, want)
	}
	other := errors.New("another")
	if LocateError(other, "") != other {
		t.Error("another error is changed")
	}
}
