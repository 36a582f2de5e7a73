package reports

import (
	"strings"
	"testing"
)

// A decimal is given for a whole number.
func TestDecimalForAWholeNumber(t *testing.T) {
	app := func(more string) string { return machine("") + web(onMachine, more) }
	refused := func(hcl, attribute string) func(*world) {
		return func(w *world) {
			w.run(hcl, "plan").failsOn(attribute, "whole number").lacks("error in the provider", "%!s", "report")
		}
	}
	report(t, "CiscoDevNet/terraform-provider-sdwan#240", "a decimal for a whole number", situations{
		"memory_mb":   refused(app("memory_mb = 0.3 * 1024"), "memory_mb"),
		"port":        refused(app("port = 3000.5"), "port"),
		"a version":   refused(app("secret_env_wo = { T = \"x\" }\n  secret_env_wo_version = 1.1"), "secret_env_wo_version"),
		"a budget":    refused(strings.Replace(machine(""), "postgres = {}", "postgres = { memory_mb = 512.5 }", 1), "memory_mb"),
		"a filter":    refused(data("hosting_plans.p", "min_memory_mb = 512.5"), "min_memory_mb"),
		"max_retries": refused("provider \"hosting\" {\n  max_retries = 2.5\n}\n"+machine(""), "max_retries"),
		"a rate as a decimal": func(w *world) {
			hcl := "provider \"hosting\" {\n  requests_per_second = 1 / 3\n}\n" + endpoint("https://hooks.example.com/in", "")
			w.apply(hcl)
			w.settled(hcl)
		},
	})
}
