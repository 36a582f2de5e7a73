package provider

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/instance-hosting/terraform-provider-hosting/internal/pluginserver"
)

// A stateServer notes the instances of the state. Terraform plans the replacement of a tainted
// instance without its state, but it first upgrades the state of every object.
type stateServer struct {
	pluginserver.ProviderServer
	provider *hostingProvider
}

// UpgradeResourceState notes the id and the name of an instance.
func (s stateServer) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	if data := s.provider.configured.Load(); data != nil && req.TypeName == "hosting_instance" && req.RawState != nil {
		var instance struct{ ID, Name string }
		if json.Unmarshal(req.RawState.JSON, &instance) == nil { // else the framework says what is wrong
			data.Planned.NoteState(instance.ID, instance.Name)
		}
	}
	return s.ProviderServer.UpgradeResourceState(ctx, req)
}
