package mcp

import (
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

// question returns the question about a call, or "" if there is none. Calls that are
// refused in any case have none. The tool set_allowlist asks only if its list opens the
// instance to every address.
func (f *face) question(o operations.Operation, arguments json.RawMessage) string {
	var sent struct {
		InstanceID string   `json:"instance_id"`
		Confirm    string   `json:"confirm"`
		Allowlist  []string `json:"allowlist"`
	}
	if o.Tool.Asks == "" || json.Unmarshal(arguments, &sent) != nil {
		return ""
	}
	in, known := f.Service.Instance(sent.InstanceID)
	switch {
	case !known, f.confirmed[o.Tool.Name] && sent.Confirm != sent.InstanceID:
		return ""
	case o.Tool.Name == "set_allowlist" && !core.OpensToAll(sent.Allowlist):
		return ""
	}
	return fmt.Sprintf(o.Tool.Asks, in.Name)
}

// answerName is the name of the question in a call and its answer.
const answerName = "agreement"

// ask asks the person about a call that destroys something, if the client can. It returns
// the result that asks, or an error if the person did not agree. A call that may continue
// gets neither.
func (f *face) ask(o operations.Operation, request *sdk.CallToolRequest, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	capabilities := request.ClientCapabilities()
	if capabilities == nil || capabilities.Elicitation == nil || capabilities.Elicitation.Form == nil && capabilities.Elicitation.URL != nil {
		return nil, nil
	}
	question := f.question(o, arguments)
	if question == "" {
		return nil, nil
	}
	given, answered := request.Params.InputResponses[answerName]
	if !answered {
		return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{answerName: &sdk.ElicitParams{
			Mode: "form", Message: question, RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
		}}}, nil
	}
	if result, ok := given.(*sdk.ElicitResult); !ok || result.Action != "accept" {
		return nil, core.Refuse(core.ConfirmMismatch, "the person did not agree, and nothing was changed")
	}
	return nil, nil
}
