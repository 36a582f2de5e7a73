package provider_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEveryArgumentIsTried looks for each argument of a resource in the files that try
// arguments in combination with each other. None of them fails by itself without an
// argument.
func TestEveryArgumentIsTried(t *testing.T) {
	text, err := os.ReadFile("testdata/schema.golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var schemas struct {
		Resources map[string]struct{ Attributes map[string]string } `json:"resource_schemas"`
	}
	if err := json.Unmarshal(text, &schemas); err != nil {
		t.Fatal(err)
	}
	editions, err := filepath.Glob("../acceptance/testdata/states/*/*.tf")
	if err != nil || len(editions) == 0 {
		t.Fatalf("the configurations of editions: got %q and %v, want at least one", editions, err)
	}
	// Each place, and the arguments that it may lack.
	for _, place := range []struct {
		files  []string
		after  string            // pattern of the text after an argument
		exempt map[string]string // with the reason
	}{
		{[]string{"changes_cases_golden_test.go"}, "", map[string]string{
			"hosting_account_profile.address": "treated as the company is",
		}},
		{[]string{"../simulation/configuration_test.go"}, "", map[string]string{
			"hosting_account_profile.vat_id":         "treated as the company is",
			"hosting_app.deploy_commit":              "a world's repositories have one commit",
			"hosting_app.health_path":                "treated as the port is",
			"hosting_postgres_script.sql_wo":         "differs from sql only in what the state keeps",
			"hosting_postgres_script.sql_wo_version": "differs from sql only in what the state keeps",
		}},
		{editions, ` *=`, map[string]string{
			"hosting_webhook_endpoint.secret": "differs from secret_wo only in what the state keeps",
		}},
	} {
		var all strings.Builder
		for _, name := range place.files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		for _, resource := range slices.Sorted(maps.Keys(schemas.Resources)) {
			for _, argument := range slices.Sorted(maps.Keys(schemas.Resources[resource].Attributes)) {
				form := schemas.Resources[resource].Attributes[argument]
				if strings.HasPrefix(argument, "timeouts") || strings.Contains(argument, ".") || !strings.Contains(form, "optional") && !strings.Contains(form, "required") {
					continue
				}
				tried := regexp.MustCompile(`\b` + argument + `\b` + place.after).MatchString(all.String())
				_, exempt := place.exempt[resource+"."+argument]
				if tried == exempt {
					t.Errorf("%s.%s in %s: got %t, want %t: add the argument there, or correct its exemption in tried_arguments_test.go", resource, argument, strings.Join(place.files, " or "), tried, !exempt)
				}
			}
		}
	}
}
