package app

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/base"
	"github.com/instance-hosting/terraform-provider-hosting/internal/provider/providertest"
)

// The state shows another commit than the planned one. Since then, a person may have
// deployed the planned commit.
func TestRebuilds(t *testing.T) {
	const planned, another = "aaaaaaaaaa", "bbbbbbbbbb"
	for name, row := range map[string]struct {
		commits []string // of the successful builds, newest first
		want    bool
	}{
		"the same is deployed":            {[]string{another}, true},
		"the planned one since":           {[]string{planned, another}, false},
		"another one again":               {[]string{another, planned}, true},
		"no build is listed":              {nil, true},
		"the planned one alone is listed": {[]string{planned}, false},
	} {
		t.Run(name, func(t *testing.T) {
			builds := []map[string]any{}
			for _, commit := range row.commits {
				builds = append(builds, map[string]any{"id": "bld-" + commit, "status": "successful", "commit": commit})
			}
			c := providertest.Client(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(builds) }))
			app := plainApp()
			app.DeployCommit = types.StringValue(planned)
			state := app
			state.Commit = types.StringValue(another)
			update := appUpdate{appResource: &appResource{base.Resource{Data: base.Data{Client: c}}}, prior: state, planned: app}
			got, err := update.rebuilds(t.Context(), client.App{}, nil, &appProgress{model: state})
			if err != nil || got != row.want {
				t.Errorf("got %v, %v, want %v", got, err, row.want)
			}
		})
	}
}
