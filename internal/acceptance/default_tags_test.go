package acceptance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// taggedConfig returns an instance with tags and a provider with default tags. Both sets
// of tags are expressions; "" means not set.
func taggedConfig(fake *fakeservicetest.Server, defaults, own string) string {
	configuration := config(fake, "%s", instanceHCL("engines = {}"))
	if defaults != "" {
		configuration = strings.Replace(configuration, "api_key", "default_tags = "+defaults+"\n  api_key", 1)
	}
	if own != "" {
		configuration = strings.Replace(configuration, "engines = {}", "engines = {}\n  tags = "+own, 1)
	}
	return configuration
}

// tagged checks both sets of tags of an instance. Without its own tags, tags is null.
func tagged(own, all []string) []statecheck.StateCheck {
	set := func(texts []string) knownvalue.Check {
		checks := []knownvalue.Check{}
		for _, text := range texts {
			checks = append(checks, knownvalue.StringExact(text))
		}
		return knownvalue.SetExact(checks)
	}
	var ownCheck knownvalue.Check = knownvalue.Null()
	if own != nil {
		ownCheck = set(own)
	}
	return []statecheck.StateCheck{shows(instanceAddress, ownCheck, "tags"), shows(instanceAddress, set(all), "tags_all")}
}

func TestDefaultTags(t *testing.T) {
	fake := startFake(t)
	edit := func(tags ...string) func() {
		return func() {
			fake.EditInstance(onlyInstance(t, fake), func(i *fakeservice.Instance) { i.Tags = tags })
		}
	}
	updates := plans(instanceAddress, plancheck.ResourceActionUpdate)
	run(t,
		resource.TestStep{ // an instance without its own tags
			Config:            taggedConfig(fake, `["team", "web"]`, ""),
			ConfigPlanChecks:  plans(instanceAddress, plancheck.ResourceActionCreate),
			ConfigStateChecks: tagged(nil, []string{"team", "web"}),
		},
		resource.TestStep{ // one tag is in both sets
			Config:            taggedConfig(fake, `["team", "web"]`, `["web", "own"]`),
			ConfigPlanChecks:  updates,
			ConfigStateChecks: tagged([]string{"own", "web"}, []string{"own", "team", "web"}),
		},
		resource.TestStep{ // the default tags change
			Config:            taggedConfig(fake, `["crew"]`, `["web", "own"]`),
			ConfigPlanChecks:  updates,
			ConfigStateChecks: tagged([]string{"own", "web"}, []string{"crew", "own", "web"}),
		},
		resource.TestStep{ // another client adds a tag, and removes an own and a default one
			PreConfig:         edit("own", "stranger"),
			Config:            taggedConfig(fake, `["crew"]`, `["web", "own"]`),
			ConfigPlanChecks:  updates,
			ConfigStateChecks: tagged([]string{"own", "web"}, []string{"crew", "own", "web"}),
		},
		resource.TestStep{ // a default tag is known only after apply
			Config: `
resource "terraform_data" "later" { input = "crew" }
` + taggedConfig(fake, `["crew", terraform_data.later.output]`, `["own", terraform_data.later.output]`),
			ConfigPlanChecks:  plans(instanceAddress, plancheck.ResourceActionUpdate),
			ConfigStateChecks: tagged([]string{"crew", "own"}, []string{"crew", "own"}),
		},
		resource.TestStep{
			Config:            taggedConfig(fake, `["crew", "team"]`, `["own"]`),
			ConfigPlanChecks:  updates,
			ConfigStateChecks: tagged([]string{"own"}, []string{"crew", "own", "team"}),
		},
		resource.TestStep{
			ResourceName:            instanceAddress,
			ImportState:             true,
			ImportStateVerify:       true,
			ImportStateVerifyIgnore: []string{"deletion_protection"},
		},
		resource.TestStep{ // the configuration has no tags
			Config:            taggedConfig(fake, "", ""),
			ConfigPlanChecks:  updates,
			ConfigStateChecks: tagged(nil, nil),
		},
	)
	var sent []string
	for _, request := range fake.Requests() {
		if request.Method == "PATCH" {
			sent = append(sent, string(request.Body))
		}
	}
	want := []string{
		`{"tags":["own","team","web"]}`, `{"tags":["crew","own","web"]}`, `{"tags":["crew","own","web"]}`,
		`{"tags":["crew","own"]}`, `{"tags":["crew","own","team"]}`, `{"tags":[]}`,
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("the tags that were sent (-want +got):\n%s", diff)
	}
}
