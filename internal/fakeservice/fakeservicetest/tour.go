package fakeservicetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest/machine"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

// Tour sends each operation of the table at least once, in an order in which each finds the
// objects that it needs, and lets each job end. Every answer must be a success. repo is the
// repository of the imported app. before is called before each request, with its method and
// path.
func Tour(t testing.TB, s *Server, repo string, before func(method, path string)) {
	t.Helper()
	s.SetDuration("build", time.Millisecond)
	known := object{"repo": repo}
	for _, o := range deletionsLast() {
		for _, address := range o.REST {
			method, path, body := Request(address, Arguments(o, known))
			before(method, path)
			status, answer := s.Send(t, method, path, body)
			if status >= http.StatusBadRequest {
				t.Fatalf("%s %s: got %d %v, want a success", method, path, status, answer)
			}
			if id, ok := answer["job_id"].(string); ok && status == http.StatusAccepted {
				s.finish(t, id, o.Job)
			}
			learn(known, path, answer)
			if _, built := answer["build_id"].(string); built {
				s.settle(t, known["instance_id"].(string))
			}
		}
	}
}

// deletionsLast returns the table with the operations that delete something at the end,
// each object before the one that it belongs to.
func deletionsLast() []operations.Operation {
	var others, deletions []operations.Operation
	for _, o := range operations.All {
		if len(o.REST) > 0 && strings.HasPrefix(o.REST[0], http.MethodDelete) {
			deletions = append(deletions, o)
		} else {
			others = append(others, o)
		}
	}
	slices.Reverse(deletions)
	return append(others, deletions...)
}

// learn stores the values of an answer that later operations take as arguments.
func learn(known object, path string, answer object) {
	if id, ok := answer["id"].(string); ok {
		known[operations.IDName(path)] = id
	}
	if id, ok := answer["job_id"].(string); ok {
		known["job_id"] = id
	}
	if backups, ok := answer["backups"].([]any); ok && len(backups) > 0 {
		known["backup_id"] = backups[0].(object)["id"]
	}
	known["confirm"] = known["instance_id"]
}

// finish ends a job of an operation, which must succeed.
func (s *Server) finish(t testing.TB, id, operation string) {
	t.Helper()
	if err := s.FinishJob(id); err != nil {
		t.Fatal(err)
	}
	for _, j := range s.Jobs() {
		if j.ID == id && (j.Status != fakeservice.StatusDone || j.Operation != operation) {
			t.Fatalf("got a job of %s that is %s (%s), want one of %s that is done", j.Operation, j.Status, j.ErrorDetail, operation)
		}
	}
}

// Arguments returns the arguments of an operation's example, replaced by known values.
func Arguments(o operations.Operation, known map[string]any) map[string]any {
	arguments := object{}
	maps.Copy(arguments, o.Example)
	for _, name := range o.Run.Arguments() {
		if value, ok := known[name]; ok {
			arguments[name] = value
		}
	}
	return arguments
}

// parameter matches a parameter of a path.
var parameter = regexp.MustCompile(`{\w+}`)

// Request creates the request for an address of the API's document, such as "GET
// /jobs/{id}", with the arguments of its operation. It changes arguments.
func Request(address string, arguments map[string]any) (method, path string, body any) {
	method, pattern, _ := strings.Cut(address, " ")
	path = parameter.ReplaceAllStringFunc(pattern, func(element string) string {
		name := strings.Trim(element, "{}")
		if name == "id" {
			name = operations.IDName(pattern)
		}
		value := arguments[name]
		delete(arguments, name)
		return url.PathEscape(fmt.Sprint(value))
	})
	if method != http.MethodGet && method != http.MethodDelete {
		return method, path, arguments
	}
	query := url.Values{}
	for name, value := range arguments {
		query.Set(name, fmt.Sprint(value))
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return method, path, nil
}

// object is a JSON object.
type object = map[string]any

// Send sends a request with the account's key, and returns the status and the body, if it
// is an object.
func (s *Server) Send(t testing.TB, method, path string, body any) (int, map[string]any) {
	t.Helper()
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.BaseURL+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+APIKey)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer map[string]any
	_ = json.Unmarshal(read, &answer) // the guide is text
	return response.StatusCode, answer
}

// settle waits until the app's build is over and the app runs.
func (s *Server) settle(t testing.TB, instanceID string) {
	t.Helper()
	s.Advance(time.Second)
	var a fakeservice.App
	machine.Until(t, "the app runs", func() bool {
		a, _ = s.App(instanceID, "web")
		return len(a.Builds) > 0 && !a.Builds[0].InProgress() && a.Status == fakeservice.StatusRunning
	}, func() string {
		return fmt.Sprintf("the app is %s, its builds are %v, its log:\n%s", a.Status, a.Builds, s.AppLog(instanceID, "web"))
	})
}
