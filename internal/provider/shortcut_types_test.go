package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// A schema with something that shortcuts do not know loses them without a word, and
// so does a type that is not in their list.
func TestEveryTypeHasItsShortcuts(t *testing.T) {
	all := shortcuts()
	for _, newResource := range (&hostingProvider{}).Resources(context.Background()) {
		var of resource.MetadataResponse
		newResource().Metadata(context.Background(), resource.MetadataRequest{ProviderTypeName: "hosting"}, &of)
		make, listed := all[of.TypeName]
		if !listed {
			t.Errorf("%s is not in the list of shortcuts", of.TypeName)
			continue
		}
		quick, ok := make().(interface {
			knows() (plans, validates bool)
		})
		if !ok {
			t.Errorf("%s has a schema of which too little is known", of.TypeName)
			continue
		}
		if plans, validates := quick.knows(); !plans || !validates {
			t.Errorf("%s: what its schema says of a plan is known: %t, of a configuration: %t", of.TypeName, plans, validates)
		}
	}
}

func (s *modelShortcut[M]) knows() (plans, validates bool) { return s.plans, s.validates }
