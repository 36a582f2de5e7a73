package acceptance

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
)

// The tests below check that an apply returns what its plan promised, whatever the
// service returns in the meantime. The next refresh shows values that have changed.

// meanwhile alters the answers to GETs of a path after a request was sent.
func meanwhile(fake *fakeservicetest.Server, method, sent, path string, alter func(map[string]any)) (remove func()) {
	return fake.Inject(fakeservice.Fault{Method: "GET", Path: path, Times: -1, Rewrite: func(answer map[string]any) {
		if fake.Count(method, sent) > 0 {
			alter(answer)
		}
	}})
}
