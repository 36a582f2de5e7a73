package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

// call is a request to a route.
type call struct {
	service operations.Service
	request *http.Request
	route   *route
	params  map[string]string
	body    []byte
}

// run carries out the call.
func (c *call) run() response {
	result, err := c.route.Call(c.request.Context(), c.service, c.decode)
	if err != nil {
		return fail(err)
	}
	switch result := result.(type) {
	case operations.None:
		return response{status: c.route.success}
	case operations.Markdown:
		return response{status: c.route.success, raw: []byte(result), contentType: core.GuideType}
	}
	return response{status: c.route.success, body: result}
}

// decode reads the arguments from the body, whose shape has been checked, and from the
// parameters. The only possible error in the body is a number that is too large.
func (c *call) decode(into any) error {
	if len(bytes.TrimSpace(c.body)) > 0 {
		// The canonical form writes 3e3 and 3000.0, which are integers too, as 3000.
		body := jsontext.Value(bytes.Clone(c.body))
		if err := body.Canonicalize(); err != nil {
			return badRequest("the body is not JSON: %s", err)
		}
		if err := json.Unmarshal(body, into); err != nil {
			if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
				return core.Refuse(core.ValidationError, "%s: the number is out of range", fieldOf(wrong))
			}
			return badRequest("the body is not JSON: %s", err)
		}
	}
	parameters, err := json.Marshal(c.parameters())
	if err != nil {
		return err
	}
	return json.Unmarshal(parameters, into)
}

// fieldOf returns the name of the field with the invalid value. The decoder's path also
// has the names of embedded structs, which are not fields of the API.
func fieldOf(wrong *json.UnmarshalTypeError) string {
	return wrong.Field[strings.LastIndex(wrong.Field, ".")+1:]
}

// parameters returns the parameters of the path and the query by the names of the
// arguments: the id in /instances/{id} is instance_id.
func (c *call) parameters() map[string]any {
	parameters := map[string]any{}
	for name, given := range c.request.URL.Query() {
		if name != "confirm" || len(given) == 1 {
			parameters[name] = given[0]
		}
	}
	if text, ok := parameters["limit"].(string); ok {
		delete(parameters, "limit")
		if text != "" {
			parameters["limit"], _ = strconv.Atoi(text) // invalid numbers become 0, which is refused
		}
	}
	for name, value := range c.params {
		if name == "id" {
			name = operations.IDName(c.route.pattern)
		}
		parameters[name] = value
	}
	return parameters
}

// confirm returns the parameter confirm of the query, or "" unless it is given exactly
// once.
func (c *call) confirm() string {
	if given := c.request.URL.Query()["confirm"]; len(given) == 1 {
		return given[0]
	}
	return ""
}

// lacksConfirm reports whether a request violates the document because it lacks confirm.
// This violation has its own code.
func (c *call) lacksConfirm() bool {
	if !c.route.Confirms() {
		return false
	}
	if c.route.method == http.MethodDelete {
		return c.confirm() == ""
	}
	var body map[string]json.RawMessage
	if json.Unmarshal(c.body, &body) != nil {
		return len(bytes.TrimSpace(c.body)) == 0
	}
	confirm, sent := body["confirm"]
	return !sent || string(confirm) == "null"
}
