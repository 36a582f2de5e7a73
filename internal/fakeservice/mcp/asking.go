package mcp

import (
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// questions has the question that a person is asked before each of these tools runs. %s is
// the name of the instance. The tool set_allowlist asks only if the list opens the instance
// to every address.
var questions = map[string]string{
	"delete_instance":    "Delete the instance %s with all its data and backups, for good?",
	"reset_instance":     "Empty the instance %s? An undo snapshot is taken first.",
	"restore_instance":   "Put the data of the instance %s back to a backup? Newer data is lost. An undo snapshot is taken first.",
	"rotate_credentials": "Change every password of the instance %s? Old connection URLs no longer work.",
	"set_allowlist":      "Open the instance %s to the whole internet?",
}

// question returns the question about a call, or "" if there is none. Calls that are
// refused in any case have none.
func (f *face) question(tool string, arguments json.RawMessage) string {
	text, ok := questions[tool]
	if !ok {
		return ""
	}
	var sent struct {
		InstanceID string   `json:"instance_id"`
		Confirm    string   `json:"confirm"`
		Allowlist  []string `json:"allowlist"`
	}
	if json.Unmarshal(arguments, &sent) != nil {
		return ""
	}
	in, known := f.Service.Instance(sent.InstanceID)
	switch {
	case !known, f.confirmed[tool] && sent.Confirm != sent.InstanceID:
		return ""
	case tool == "set_allowlist" && !core.OpensToAll(sent.Allowlist):
		return ""
	}
	return fmt.Sprintf(text, in.Name)
}

// answerName is the name of the question in a call and its answer.
const answerName = "agreement"

// ask asks the person about a call that destroys something, if the client can. It returns
// the result that asks, or an error if the person did not agree. A call that may continue
// gets neither.
func (f *face) ask(request *sdk.CallToolRequest, arguments json.RawMessage) (*sdk.CallToolResult, error) {
	capabilities := request.ClientCapabilities()
	if capabilities == nil || capabilities.Elicitation == nil || capabilities.Elicitation.Form == nil && capabilities.Elicitation.URL != nil {
		return nil, nil
	}
	question := f.question(request.Params.Name, arguments)
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
