package properties

import (
	"encoding/json"
	"net/http"
	"reflect"

	"pgregory.net/rapid"
)

// checkTwins sends a request again in a different way that must get the same answer. The
// ways are HEAD, the answer's ETag, a form, and a call of a tool.
func (w *world) checkTwins(t *rapid.T, a *account, r *request, got answer) {
	t.Helper()
	if !r.operation.mutates() && pick(t, "twin", []bool{false, false, false, true}) {
		w.checkHead(t, a, r, got)
	}
	refused := got.status >= 400
	if r.operation.mutates() && refused && pick(t, "form", []bool{false, true}) {
		w.checkForm(t, a, r, got)
	}
	if r.operation.mutates() && !refused || !pick(t, "tool too", []bool{false, true}) {
		return
	}
	if !canCall(r) || !toolSaysTheSame(r, got) {
		return
	}
	w.tally.compared++
	result := callTool(t, a, r)
	a.look()
	switch {
	case refused && result.refusal == "":
		t.Fatalf("the tool %s: got %s, want a refusal like that of %s: %d %s", r.operation.tools[0], result.content, r, got.status, got.body)
	case r.invalid:
		if codeOf([]byte(result.refusal)) != codeOf(got.body) {
			t.Fatalf("the tool %s: got the refusal %s, want the code of the answer to %s: %d %s", r.operation.tools[0], result.refusal, r, got.status, got.body)
		}
	case refused:
		if !sameJSON([]byte(result.refusal), got.body) {
			t.Fatalf("the tool %s: got the refusal %s, want that of %s: %d %s", r.operation.tools[0], result.refusal, r, got.status, got.body)
		}
	case result.refusal != "":
		t.Fatalf("the tool %s: got the refusal %s, want the answer to %s: %d %s", r.operation.tools[0], result.refusal, r, got.status, got.body)
	case r.operation.Path == "/guides/apps":
		var text string
		if err := json.Unmarshal(result.content, &text); err != nil || text != string(got.body) {
			t.Fatalf("the guide of the tool %s: got %s and error %v, want that of the API: %s", r.operation.tools[0], text, err, got.body)
		}
	default:
		if shown := part(t, r, result.content); !reflect.DeepEqual(shown, decoded(t, got.body)) {
			t.Fatalf("the tool %s: got %v, want the answer to %s: %s", r.operation.tools[0], shown, r, got.body)
		}
	}
}

// toolSaysTheSame reports whether a tool's result includes the answer to a request. The
// tool that lists all endpoints stands for reading one of them and never refuses. The
// tool for billing returns all charges.
func toolSaysTheSame(r *request, got answer) bool {
	switch r.operation.String() {
	case "GET /webhooks/{id}":
		return got.status == http.StatusOK
	case "GET /billing":
		return len(r.query) == 0
	}
	return true
}

// checkHead checks that HEAD and a conditional GET agree with GET.
func (w *world) checkHead(t *rapid.T, a *account, r *request, got answer) {
	t.Helper()
	h := r.http()
	h.Method = http.MethodHead
	if head := ask(a.service, h); head.status != got.status || len(head.body) > 0 || head.header.Get("ETag") != got.header.Get("ETag") {
		t.Fatalf("HEAD of %s: got %d with the ETag %q and the body %q, want %d with %q and no body", r, head.status, head.header.Get("ETag"), head.body, got.status, got.header.Get("ETag"))
	}
	if tag := got.header.Get("ETag"); tag != "" {
		h := r.http()
		h.Header.Set("If-None-Match", tag)
		if again := ask(a.service, h); again.status != http.StatusNotModified || len(again.body) > 0 {
			t.Fatalf("%s with the ETag of its answer: got %d %s, want 304 without a body", r, again.status, again.body)
		}
	}
}

func sameJSON(a, b []byte) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}
