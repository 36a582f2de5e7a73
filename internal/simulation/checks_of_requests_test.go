package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// segments returns the elements of a path below the prefix.
func segments(p string) []string { return strings.Split(strings.Trim(p, "/"), "/") }

// whatGoes checks the removals that a request asks for, before the service sees it. The
// returned text is reported as a violation if the service accepts the request; "" means no
// violation.
func (w *world) whatGoes(r *http.Request, body []byte) (check, string) {
	c := callOf(r.Context())
	if c == nil || r.Method == http.MethodGet {
		return "", ""
	}
	at := segments(path(r))
	switch {
	case r.Method == http.MethodDelete:
		return isProtected, w.deletes(c, at)
	case r.Method == http.MethodPut && at[len(at)-1] == "engines":
		return askedToGo, w.turnsOff(c, at[1], body, sentAt(r))
	case r.Method == http.MethodPut && at[len(at)-1] == "allowlist":
		return askedToGo, w.makesAllowlist(c, at[1], body)
	case r.Method == http.MethodPatch && len(at) == 4 && at[2] == "apps":
		return askedToGo, w.takesVariables(c, at[1], at[3], body, sentAt(r))
	}
	return "", ""
}

// deletes returns a violation if an object is deleted although it has run and the state
// protects it. A creation that failed removes the protection from the state. If a person
// repairs the machine, it is protected again as it was configured.
func (w *world) deletes(c *call, at []string) string {
	if len(at) == 2 && w.justRepaired(at[1], c.began) {
		return ""
	}
	protection := c.protected
	if !protection && len(at) == 2 {
		i, _ := w.fake.Instance(at[1])
		protection = i.Host != "" && c.protects && w.couldBeSeen(at[1], c.began)
	}
	if !protection {
		return ""
	}
	ran := true
	if i, ok := w.fake.Instance(at[1]); ok && len(at) == 2 {
		ran = i.Host != ""
	}
	if len(at) == 4 && at[2] == "apps" {
		app, _ := w.fake.App(at[1], at[3])
		ran = slices.ContainsFunc(app.Builds, func(b fakeservice.Build) bool { return b.Status == fakeservice.StatusSuccessful })
	}
	if len(at) == 5 && at[3] == "databases" {
		// An object that was still being created is empty.
		ran = !slices.ContainsFunc(w.fake.Databases(at[1]), func(d fakeservice.Database) bool {
			return d.Name == at[4] && d.CreatedAt.After(c.began)
		})
	}
	if !ran {
		return ""
	}
	return "it deletes /" + strings.Join(at, "/")
}

// turnsOff returns a violation if the request turns off an engine that no configuration has
// removed.
func (w *world) turnsOff(c *call, id string, body []byte, sent time.Time) string {
	var asked struct{ Engines map[string]any }
	i, ok := w.fake.Instance(id)
	if json.Unmarshal(body, &asked) != nil || !ok {
		return ""
	}
	if _, stays := asked.Engines[foreignEngine]; !stays && w.scenario.Shapes&moreEngines != 0 {
		return "it turns the engine " + foreignEngine + " off, which the provider does not know"
	}
	for _, engine := range engineNamesOf(i) {
		_, stays := asked.Engines[engine]
		if w.hidesEngines(sent.Add(-w.couldBeRead())) {
			continue // the record does not show which engines are on
		}
		// A machine that had not run when the plan was made had nothing to lose.
		ran := w.creationOf(id).FinishedAt.Before(c.run.command.began)
		if !stays && ran && w.couldBeSeen(id, sent) && !c.cli.hasAsked(c.address, "engines."+engine) {
			return "it turns the engine " + engine + " off"
		}
	}
	return ""
}

// justRepaired reports whether the reads before a deletion can still have shown an instance
// that failed before it ever ran, although a person has repaired it since. If that deletion
// fails and the host is hidden, later reads show nothing of the repair either: the status
// stays "deleting".
func (w *world) justRepaired(id string, sent time.Time) bool {
	lag := w.readsLag()
	w.mu.Lock()
	defer w.mu.Unlock()
	at, repaired := w.repaired[id]
	if repaired && sent.Sub(at) <= lag+2*longestLatency {
		w.unseen[id] = true
		return true
	}
	return w.unseen[id] && w.scenario.Hides&hidesHost != 0
}

// couldBeSeen reports whether a read before the request could have shown a person's change,
// given how far reads lag. id is an instance's, or that of an instance, a slash and an
// app's name. The service has no conditional requests.
func (w *world) couldBeSeen(id string, sent time.Time) bool {
	return sent.Sub(w.touchedAt(id)) > w.readsLag()+2*longestLatency
}

// readsLag returns how far reads are currently behind.
func (w *world) readsLag() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.weather != nil && slices.ContainsFunc(w.weather.strikes, func(f *falling) bool { return f.Kind == lagging }) {
		return weather.LongestLag
	}
	return w.scenario.Lag
}

// makesAllowlist returns a violation if the request sets an allowlist other than the
// configured one.
func (w *world) makesAllowlist(c *call, id string, body []byte) string {
	var sent struct{ Allowlist []string }
	i, ok := w.fake.Instance(id)
	if json.Unmarshal(body, &sent) != nil || !ok {
		return ""
	}
	canonical := func(addresses []string) []string {
		var all []string
		for _, a := range addresses {
			all = append(all, strings.TrimSuffix(a, "/32"))
		}
		slices.Sort(all)
		return all
	}
	var wanted []string
	if c.block != nil {
		wanted, _ = c.block.arguments["cidrs"].([]string)
	} else if c.cli.text(c.address, "on_destroy") != "open" {
		return "it sends an allowlist"
	}
	if !slices.Equal(canonical(sent.Allowlist), canonical(wanted)) {
		return fmt.Sprintf("it makes the allowlist %v of %v, and %v is configured", sent.Allowlist, i.Allowlist, wanted)
	}
	return ""
}

// takesVariables returns a violation if the request removes a variable that no
// configuration has removed.
func (w *world) takesVariables(c *call, id, name string, body []byte, sent time.Time) string {
	var asked struct{ Env *map[string]string }
	a, ok := w.fake.App(id, name)
	if json.Unmarshal(body, &asked) != nil || !ok || asked.Env == nil || c.block == nil {
		return ""
	}
	env, managed := c.block.arguments["env"].(map[string]any)
	secret, _ := c.block.arguments["secret_env_wo"].(map[string]any)
	for name, value := range secret {
		if (*asked.Env)[name] != value {
			return "it leaves out the secret variable " + name
		}
	}
	for name := range *asked.Env {
		if _, public := env[name]; managed && !public && secret[name] == nil {
			return "it sends the variable " + name + ", which is not configured"
		}
	}
	if managed {
		return "" // the configuration lists all variables, and the plan has shown the removals
	}
	for _, variable := range sortedNames(a.Env) {
		if variable == portalVariable && !w.couldBeSeen(id+"/"+name, sent) {
			continue // a person has just added it
		}
		// The plan has shown the removal of variables in the state. The other variables are
		// unknown to a plan without a refresh, to one that was made before a person added
		// them, and where records hide them. The request has the planned variables then.
		planned := c.cli.attribute(c.address, "env", variable) != nil ||
			c.run != nil && c.cli.attribute(c.address, "env") != nil &&
				(c.run.command.flags&withoutRefresh != 0 || w.touchedAt(id+"/"+name).After(c.run.command.began) || w.hidesVariables())
		if _, stays := (*asked.Env)[variable]; !stays && !planned && !c.cli.hasAsked(c.address, "env."+variable) && !c.cli.hasAsked(c.address, "secret_env_wo."+variable) {
			return "it takes the variable " + variable + " away"
		}
	}
	return ""
}

// served checks the service's answer, which the client may never see.
func (w *world) served(r *http.Request, body []byte, status int, answer []byte, arrived time.Time) {
	p := path(r)
	at := segments(p)
	w.learnSecrets(p, answer)
	w.normal(string(answer)) // numbers the ids in the service's order
	if gateway.LagOf(r.Context()) == 0 {
		w.remember(r, at, body, status, answer, arrived)
	}
	c := callOf(r.Context())
	if c == nil || status >= 300 || r.Method == http.MethodGet {
		return
	}
	var made struct {
		ID    string
		JobID string `json:"job_id"`
	}
	_ = json.Unmarshal(answer, &made) // an answer may lack an id
	if at[len(at)-1] == "resize" {
		w.resized(at[1], planIn(body), made.JobID)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if made.JobID != "" {
		c.jobs = append(c.jobs, made.JobID)
	}
	if r.Method != http.MethodPost {
		return
	}
	switch {
	case p == "/instances", p == "/webhooks":
		w.makes(made.ID)
		c.ids = append(c.ids, made.ID)
		if len(c.ids) > 1 {
			w.violate(oneMachine, "%s of %s has made %v", c.what, c.address, c.ids)
		}
	case strings.HasSuffix(p, "/postgres/databases"):
		c.ids = append(c.ids, at[1]+"/"+nameIn(body))
	case strings.HasSuffix(p, "/apps/import"):
		c.ids = append(c.ids, at[1]+"/"+nameIn(body))
	case slices.Contains(at, "actions"):
		if c.taken[p]++; c.taken[p] > 1 && !w.resizeFailed(p, at[1], c.began) {
			w.violate(actedOnce, "%s of %s ran %s %d times", c.what, c.address, p, c.taken[p])
		}
	}
}

// resizeFailed reports whether an action is a resize, and a resize of the instance has failed
// since then. It may be sent again, because it says which plan the machine shall have.
func (w *world) resizeFailed(p, id string, since time.Time) bool {
	return strings.HasSuffix(p, "/resize") && slices.ContainsFunc(w.fake.Jobs(), func(j fakeservice.Job) bool {
		return j.InstanceID == id && j.Operation == "resize" && j.Status == fakeservice.StatusFailed && j.FinishedAt.After(since)
	})
}

func nameIn(body []byte) string {
	var sent struct{ Name string }
	_ = json.Unmarshal(body, &sent) // the service has accepted it
	return sent.Name
}

// postOutcome is the client's knowledge about a POST of an instance.
type postOutcome struct {
	at      time.Time
	refused bool   // nothing was done
	text    string // for people
}

// witness checks the client's result.
func (w *world) witness(r *http.Request, made *http.Response, err error) (*http.Response, error) {
	c := callOf(r.Context())
	if c == nil || r.Method != http.MethodPost || path(r) != "/instances" && path(r) != "/webhooks" {
		return made, err
	}
	outcome := postOutcome{at: time.Now(), text: fmt.Sprint(err)}
	if err == nil {
		body, broken := io.ReadAll(made.Body)
		_ = made.Body.Close() // it is read
		made.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{broken}))
		var told struct{ ID, Code string }
		whole := broken == nil && json.Unmarshal(body, &told) == nil
		// A 429 from any source means that nothing was done, and only the service answers
		// 409 and 422.
		refused := made.StatusCode == http.StatusTooManyRequests || made.StatusCode == http.StatusConflict || made.StatusCode == http.StatusUnprocessableEntity || whole && told.Code != "" && made.StatusCode >= 400
		outcome = postOutcome{outcome.at, refused, fmt.Sprintf("%d (%s)", made.StatusCode, told.Code)}
		if whole && told.ID != "" && !onSilent(r) {
			c.mu.Lock()
			c.answered[told.ID] = true
			c.mu.Unlock()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.posts); n > 0 && !c.posts[n-1].refused {
		w.violate(notByGuess, "%s of %s was sent again after %s", c.what, c.address, c.posts[n-1].text)
	}
	c.posts = append(c.posts, outcome)
	return made, err
}

// failing ends a body in the same way as the connection.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}
