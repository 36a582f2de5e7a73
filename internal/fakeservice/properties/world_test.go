package properties

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// world is two accounts that use each other's ids.
type world struct {
	accounts  [2]*account
	validator *apispec.Validator
	tally     *tally
	// owners maps secrets and ids to the mark of the account that was shown them.
	owners map[string]string
}

func newWorld(t *rapid.T, tally *tally) *world {
	validator, err := apispec.New()
	if err != nil {
		t.Fatal(err)
	}
	return &world{
		accounts:  [2]*account{newAccount(t, "ada01"), newAccount(t, "bob01")},
		validator: validator, tally: tally, owners: map[string]string{},
	}
}

// other returns the other account.
func (w *world) other(a *account) *account {
	if a == w.accounts[0] {
		return w.accounts[1]
	}
	return w.accounts[0]
}

// actions has the possible next steps: a request for each operation, and other actions.
func (w *world) actions() map[string]func(*rapid.T) {
	others := []func(*rapid.T){w.openCheckout, w.openCheckout, w.sendAgain, w.sendAgain, w.failNext, w.useOtherMethod, w.compareFaces}
	return map[string]func(*rapid.T){"next": func(t *rapid.T) {
		if at := pick(t, "what", numbers(len(document())+len(others))); at < len(document()) {
			w.play(t, document()[at])
		} else {
			others[at-len(document())](t)
		}
	}}
}

// numbers returns the numbers below n.
func numbers(n int) []int {
	return slices.Collect(func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	})
}

// actor draws the account of the next step.
func (w *world) actor(t *rapid.T) *account {
	return w.accounts[pick(t, "account", []int{0, 0, 0, 1})]
}

// play draws a request, sends it and checks the rules.
func (w *world) play(t *rapid.T, o *operation) {
	a := w.actor(t)
	r := rapid.Custom(func(t *rapid.T) *request { return drawRequest(t, w, a, o) }).Draw(t, a.mark)
	before, others := a.present, w.other(a).present
	var got answer
	if r.tool {
		got = w.answerOf(t, a, r)
	} else {
		got = ask(a.service, r.http())
	}
	w.tally.count(r, got.status)
	w.checkAnswer(t, a, r, got)
	a.look()
	w.checkPrivacy(t, a, r, got)
	if now := w.other(a).all(); now != others {
		t.Fatalf("the other account after %s of %s, which was answered %d: got\n%s\nwant\n%s", r, a.mark, got.status, now, others)
	}
	if (got.status >= 400 || !o.mutates()) && a.present != before && !r.runsSQL() {
		t.Fatalf("the account after %s, which was answered %d %s: got\n%s\nwant\n%s", r, got.status, got.body, a.present, before)
	}
	w.follow(t, a, r, got)
	if !r.tool && !r.stranger && r.header["Idempotency-Key"] == "" {
		w.checkTwins(t, a, r, got)
	}
}

// runsSQL reports whether the request runs a statement, which is not a job.
func (r *request) runsSQL() bool { return strings.HasSuffix(r.operation.Path, "/query") }

// answerOf calls the tool of a request and converts its result to an answer of the API.
func (w *world) answerOf(t *rapid.T, a *account, r *request) answer {
	result := callTool(t, a, r)
	header := http.Header{"Content-Type": {"application/json"}}
	if result.refusal == "" {
		if r.operation.success == http.StatusNoContent {
			return answer{status: http.StatusNoContent, header: http.Header{}}
		}
		return answer{r.operation.success, header, result.content}
	}
	status, known := statuses[codeOf([]byte(result.refusal))]
	if !known {
		t.Fatalf("the tool %s with %s: got the refusal %s, want one with a known code", r.operation.tools[0], r, result.refusal)
	}
	return answer{status, header, []byte(result.refusal)}
}

// statuses maps the codes of refusals to statuses.
var statuses = map[string]int{
	"invalid_request": 400, "confirm_mismatch": 400, "unauthorized": 401, "console_off": 403, "not_found": 404,
	"job_running": 409, "not_running": 409, "already_exists": 409, "validation_failed": 422, "sql_error": 422,
	"unavailable": 503, "internal": 500,
}

// codeOf returns the code of a refusal.
func codeOf(body []byte) string {
	var envelope struct{ Code string }
	_ = json.Unmarshal(body, &envelope) // without JSON there is no code
	return envelope.Code
}

// openCheckout finishes the account's pending checkouts.
func (w *world) openCheckout(t *rapid.T) {
	a := w.actor(t)
	for _, in := range a.service.Instances() {
		if in.CheckoutURL == "" {
			continue
		}
		if got := ask(a.service, newRequest(http.MethodGet, strings.TrimPrefix(in.CheckoutURL, "http://localhost"), nil)); got.status != http.StatusOK {
			t.Fatalf("the checkout %s: got %d, want 200", in.CheckoutURL, got.status)
		}
		if got := ask(w.other(a).service, newRequest(http.MethodGet, strings.TrimPrefix(in.CheckoutURL, "http://localhost"), nil)); got.status != http.StatusNotFound {
			t.Fatalf("the checkout %s at the other account: got %d, want 404", in.CheckoutURL, got.status)
		}
	}
	a.look()
}

// failNext makes the next job or build fail.
func (w *world) failNext(t *rapid.T) {
	a := w.actor(t)
	if pick(t, "a build", []bool{false, true}) {
		a.service.FailBuilds(fakeservice.BuildMatch{}, 1, "no such file")
		return
	}
	a.service.FailJobs(fakeservice.JobMatch{}, 1, "broken", "it broke")
}

// useOtherMethod sends a request with a method that the path does not support.
func (w *world) useOtherMethod(t *rapid.T) {
	a := w.actor(t)
	o := pick(t, "operation", document())
	method := pick(t, "method", []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"})
	for _, one := range document() {
		if one.Path == o.Path && one.Method == method {
			return
		}
	}
	r := &request{operation: &operation{Operation: apispec.Operation{Method: method, Path: o.Path}}, scheme: "Bearer", key: "key-of-" + a.mark, path: map[string]string{}}
	for _, name := range parameters(o.Path) {
		r.path[name] = "x"
	}
	if o.Path == "/instances/{id}/apps/{name}" {
		return // the path of the import is also a path of an app
	}
	got := ask(a.service, r.http())
	if got.status != http.StatusMethodNotAllowed || got.header.Get("Allow") == "" || codeOf(got.body) != "method_not_allowed" {
		t.Fatalf("%s: got %d with Allow %q and %s, want 405 method_not_allowed with Allow", r, got.status, got.header.Get("Allow"), got.body)
	}
}

// settle lets all jobs end at the end of a sequence, and checks that they have.
func (w *world) settle(t *rapid.T) {
	for _, a := range w.accounts {
		a.advance(2 * time.Hour)
		w.checkEffects(t, a)
		waiting := map[string]bool{}
		for _, in := range a.service.Instances() {
			waiting[in.JobID] = in.CheckoutURL != ""
			if in.JobID != "" && in.CheckoutURL == "" {
				t.Fatalf("the job of the instance %s after two hours: got %s, want none", in.ID, in.JobID)
			}
		}
		for _, id := range a.jobs {
			job, err := a.jobOf(id)
			if err != nil {
				t.Fatal(err)
			}
			if !waiting[id] && (job.FinishedAt == nil || job.Status != "done" && job.Status != "failed") {
				t.Fatalf("the job %s (%s) after two hours: got status %s, want done or failed", id, job.Operation, job.Status)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(a.deleting)) {
			w.checkDeleted(t, a, id)
		}
	}
	w.compareFaces(t)
}
