package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

// instructions describe the server as a whole to clients.
const instructions = `Tools of an instance hosting service, over the same operations as its REST API.

Every change of an instance is a job: it answers with job_id, get_job tells its progress, and until it is done every other change of that instance is refused with the code job_running. A build is no job; poll it with list_builds or app_repo.

To deploy an app: create_instance with the engines it needs, wait for the job (about 8 minutes; a paid plan waits until a person has opened checkout_url), read get_connection_urls, import_repo, wait for the build, and then update_app with links.

A refusal is a tool error whose text is {"detail": string, "code": string}.`

// server makes the server with all its tools.
func (f *face) server() *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "instance-hosting", Title: "Instance hosting", Version: "v1"}, &sdk.ServerOptions{
		Instructions: instructions,
		// The list of tools never changes.
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	server.AddReceivingMiddleware(f.answer)
	f.confirmed = map[string]bool{}
	for _, o := range operations.All {
		if o.Tool.Name != "" {
			f.addTool(server, o)
		}
	}
	return server
}

// answer converts each refusal to the API's envelope.
func (f *face) answer(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		call, isCall := request.(*sdk.CallToolRequest)
		if !isCall {
			return next(ctx, method, request)
		}
		defer notifyProgress(ctx, call)()
		began := time.Now()
		outcome, err := f.call(ctx, method, call, next)
		if err != nil {
			return outcome, err // there is no such tool
		}
		if result, ok := outcome.(*sdk.CallToolResult); ok && result.InputRequests != nil {
			return outcome, nil // the call comes again, with the person's answer
		}
		var refused core.Code
		if result, ok := outcome.(*sdk.CallToolResult); ok && result.IsError {
			problem := refusal(result.GetError())
			result.Content = []sdk.Content{&sdk.TextContent{Text: envelopeOf(problem)}}
			refused = problem.Code
		}
		f.Logger.Debug("tool", "name", call.Params.Name, "refused", refused, "took", time.Since(began))
		if f.Called != nil {
			f.Called(Call{call.Params.Name, refused})
		}
		return outcome, nil
	}
}

// call carries out a call. A call without a required confirm is refused with the code
// that the API has for it (SERVICE.md#errors).
func (f *face) call(ctx context.Context, method string, call *sdk.CallToolRequest, next sdk.MethodHandler) (sdk.Result, error) {
	var arguments map[string]json.RawMessage
	if f.confirmed[call.Params.Name] && json.Unmarshal(call.Params.Arguments, &arguments) == nil {
		if confirm, sent := arguments["confirm"]; !sent || string(confirm) == "null" {
			result := &sdk.CallToolResult{}
			result.SetError(core.Refuse(core.ConfirmMismatch, "confirm must equal the id of the instance"))
			return result, nil
		}
	}
	return next(ctx, method, call)
}

// refusal returns a tool's error as a Problem. An error that is not from core means that
// the arguments do not fit the tool's schema.
func refusal(err error) *core.Problem {
	if p := (*core.Problem)(nil); errors.As(err, &p) {
		return p
	}
	return &core.Problem{Code: core.InvalidRequest, Detail: err.Error()}
}

// envelopeOf returns the text of a refusal in the REST API.
func envelopeOf(p *core.Problem) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // two strings can always be encoded
		Detail string    `json:"detail"`
		Code   core.Code `json:"code"`
	}{p.Detail, p.Code})
	return string(bytes.TrimSpace(text.Bytes()))
}
