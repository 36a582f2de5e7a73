package simulation

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
)

// shapes are the variations of a service's answers that the client must accept according to
// SERVICE.md#tolerance.
type shapes int

const (
	bareLists    shapes = 1 << iota // A list is the array itself.
	ownRecord                       // A 202 is the job's record.
	nestedJob                       // A 202 has job.id.
	jobText                         // A 202 has a string job.
	engineNames                     // engines is an array of names.
	engineFlags                     // engines is an object of booleans.
	strangeTypes                    // Informative members have unexpected types.
	nothingTold                     // Informative members are missing.
	oldCheckout                     // checkout_url stays after the checkout.
	fewSettings                     // Records lack the settings.
	otherSuccess                    // A build succeeded with another word.
	otherJobs                       // A job in progress has another word for it.
	moreEngines                     // An engine that the provider does not know.
	otherNumbers                    // A number is written as 320.0, or as a string.
	ownForm                         // The service stores some values in a different form.
	masked                          // A record masks the values of variables.
	trimmed                         // The service trims each text.
	lowerNames                      // The service keeps names of instances in lower case.
	allShapes    shapes = 1<<iota - 1
)

func (s shapes) String() string {
	var all []string
	for i, name := range []string{"bare lists", "own record", "job.id", "job", "engine names", "engine flags", "strange types",
		"nothing told", "old checkout", "few settings", "another success", "another word for running", "one more engine", "numbers in other forms", "values in its own form",
		"masked variables", "trimmed texts", "names in lower case"} {
		if s&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return strings.Join(all, "+")
}

// of alters an answer of the service.
func (s shapes) of(w *world, answer any) any {
	body, ok := answer.(map[string]any)
	if !ok {
		return answer
	}
	for _, collection := range []string{"instances", "apps", "builds", "databases", "extensions", "webhooks", "locations", "backups"} {
		list, ok := body[collection].([]any)
		if !ok {
			continue
		}
		for _, record := range list {
			s.alter(record.(map[string]any))
		}
		if s&bareLists != 0 && len(body) == 1 {
			return s.alterNumbers(list)
		}
	}
	if id, ok := body["job_id"].(string); ok && body["region"] == nil {
		s.alterAccepted(w, body, id)
	}
	s.alter(body)
	return s.alterNumbers(body)
}

// alterNumbers writes whole numbers in another form: those of an object with an even number
// of members as strings.
func (s shapes) alterNumbers(value any) any {
	if s&otherNumbers == 0 {
		return value
	}
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = s.alterNumbers(value[i])
		}
	case map[string]any:
		for name, member := range value {
			number, ok := member.(float64)
			switch {
			case !ok:
				value[name] = s.alterNumbers(member)
			case number == math.Trunc(number) && len(value)%2 == 0:
				value[name] = fmt.Sprintf("%.1f", number)
			case number == math.Trunc(number):
				value[name] = json.Number(fmt.Sprintf("%.1f", number))
			}
		}
	}
	return value
}

// alterAccepted alters the answer to a mutation. An answer with the id of a created object
// or of a build keeps it.
func (s shapes) alterAccepted(w *world, body map[string]any, id string) {
	_, tellsMore := body["id"]
	_, builds := body["build_id"]
	switch {
	case s&ownRecord != 0 && !tellsMore && !builds:
		for _, job := range w.fake.Jobs() {
			if job.ID == id {
				delete(body, "job_id")
				body["id"], body["instance_id"], body["operation"], body["status"], body["progress"] = id, job.InstanceID, job.Operation, job.Status, 0
				body["target"] = nil
				if job.Target != "" {
					body["target"] = job.Target
				}
			}
		}
	case s&nestedJob != 0:
		delete(body, "job_id")
		body["job"] = map[string]any{"id": id}
	case s&jobText != 0:
		delete(body, "job_id")
		body["job"] = id
	}
}

func (s shapes) alter(record map[string]any) {
	s.alterValues(record)
	s.alterEngines(record)
	for _, name := range []string{"created_at", "finished_at", "usage", "monitoring", "backups", "activity"} {
		switch _, there := record[name]; {
		case !there:
		case s&strangeTypes != 0:
			record[name] = 1700000000
		case s&nothingTold != 0:
			delete(record, name)
		}
	}
	if progress, ok := record["progress"].(float64); ok {
		switch {
		case s&strangeTypes != 0:
			record["progress"] = progress + 0.5
		case s&nothingTold != 0:
			delete(record, "progress")
		}
	}
	if fault, ok := record["error"].(map[string]any); ok && s&strangeTypes != 0 {
		record["error"] = fault["detail"]
	}
	if s&oldCheckout != 0 && record["region"] != nil && record["checkout_url"] == nil {
		record["checkout_url"] = "https://portal.example/checkout/done"
	}
	if s&fewSettings != 0 {
		for _, name := range []string{"allowlist", "console_mode"} {
			if record["region"] != nil {
				delete(record, name)
			}
		}
		if record["repo"] != nil {
			delete(record, "env")
		}
	}
	if s&otherJobs != 0 && record["operation"] != nil && record["status"] == "running" {
		record["status"] = "pondering"
	}
	if s&otherSuccess != 0 && record["status"] == "successful" {
		record["status"] = "succeeded"
	}
}

// alterValues converts values into the service's own form: URLs with a slash, a company in
// capitals. A block with its prefix length is another spelling of the same value.
func (s shapes) alterValues(record map[string]any) {
	if env, ok := record["env"].(map[string]any); ok && s&masked != 0 {
		for name := range env {
			env[name] = "********"
		}
	}
	if s&ownForm == 0 {
		return
	}
	if engines, ok := record["engines"].(map[string]any); ok {
		if auth, ok := engines["auth"].(map[string]any); ok {
			s.alterValues(auth)
		}
	}
	if site, ok := record["site_url"].(string); ok && site != "" {
		record["site_url"] = strings.TrimSuffix(site, "/") + "/"
	}
	if company, ok := record["company"].(string); ok {
		record["company"] = strings.ToUpper(company)
	}
	if blocks, ok := record["allowlist"].([]any); ok {
		for i, block := range blocks {
			if text, ok := block.(string); ok && !strings.Contains(text, "/") {
				blocks[i] = text + "/32"
			}
		}
	}
}

// alterEngines alters the engines of an instance's record.
func (s shapes) alterEngines(record map[string]any) {
	engines, ok := record["engines"].(map[string]any)
	if !ok || record["region"] == nil {
		return
	}
	if s&moreEngines != 0 {
		engines[foreignEngine] = map[string]any{"memory_mb": 300.0, "port": 3306.0}
	}
	if s&engineNames != 0 {
		names := []any{}
		for _, name := range sortedNames(engines) {
			names = append(names, name)
		}
		record["engines"] = names
		return
	}
	if s&engineFlags == 0 {
		return
	}
	flags := map[string]any{}
	for name := range engines {
		flags[name] = true
	}
	record["engines"] = flags
}

// foreignEngine is on each instance of a service with moreEngines.
const foreignEngine = "mysql"

// asked turns a request to such a service into one that the fake can answer: with the values
// that the service keeps, and without the engine that the fake does not have.
func (s shapes) asked(r *http.Request, body []byte) []byte {
	body = s.kept(body)
	var asked struct {
		Engines map[string]any `json:"engines"`
	}
	if s&moreEngines == 0 || r.Method != http.MethodPut || !strings.HasSuffix(r.URL.Path, "/engines") || json.Unmarshal(body, &asked) != nil {
		return body
	}
	delete(asked.Engines, foreignEngine)
	body, _ = json.Marshal(asked) // decoded JSON can be encoded
	return body
}

// kept returns a request's body with the texts that the service keeps.
func (s shapes) kept(body []byte) []byte {
	var sent map[string]any
	if s&(trimmed|lowerNames) == 0 || json.Unmarshal(body, &sent) != nil {
		return body
	}
	for _, members := range []map[string]any{sent, asObject(sent["env"])} {
		for name, member := range members {
			if text, ok := member.(string); ok {
				members[name] = s.text(name, text)
			}
		}
	}
	body, _ = json.Marshal(sent) // decoded JSON can be encoded
	return body
}

// text returns the form in which the service keeps a text.
func (s shapes) text(name, text string) string {
	if s&trimmed != 0 && name != "sql" {
		text = strings.TrimSpace(text)
	}
	if s&lowerNames != 0 && name == "name" {
		text = strings.ToLower(text)
	}
	return text
}

func asObject(v any) map[string]any {
	members, _ := v.(map[string]any)
	return members
}
