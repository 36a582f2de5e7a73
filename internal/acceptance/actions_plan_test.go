package acceptance

import (
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// An engine that the instance has is not refused, even if the service no longer offers it or
// does not say what it offers.
func TestActionOnAnEngineThatIsNotOffered(t *testing.T) {
	needs(t, providerActions)
	t.Parallel()
	for name, rewrite := range map[string]func(map[string]any){
		"no longer offered": func(m map[string]any) {
			if engines, ok := m["engines"].(map[string]any); ok {
				delete(engines, "postgres")
			}
		},
		"not told": func(m map[string]any) { m["engines"] = nil },
	} {
		t.Run(name, func(t *testing.T) {
			fake := seeded(t)
			fake.Inject(fakeservice.Fault{Method: "GET", Path: "/plans", Times: -1, Rewrite: rewrite})
			w := newWorkspace(t, fake, actionHCL("engine_restart", `engine = "postgres"`))
			w.says(0, nil, "plan", "-invoke=action.hosting_engine_restart.test")
		})
	}
}
