package simulation

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// ignoringHeader marks a request: the service ignores one of its arguments.
const ignoringHeader = "X-Ignores"

// required are the members of a creation that the service needs.
var required = []string{"name", "plan", "region", "repo", "url", "database", "sql"}

// withoutIgnored returns the body of a request as a service understands it that ignores one
// argument of a marked request. An ignored collection stays as it is.
func (w *world) withoutIgnored(r *http.Request, body []byte) []byte {
	var sent map[string]any
	if r.Header.Get(ignoringHeader) == "" || json.Unmarshal(body, &sent) != nil {
		return body
	}
	at := segments(path(r))
	i, _ := w.fake.Instance(at[min(1, len(at)-1)])
	switch last := at[len(at)-1]; {
	case slices.Contains(at, "actions"), r.Method == http.MethodDelete:
		return body // there is no argument that could be left out
	case r.Method == http.MethodPut && last == "engines":
		engines := map[string]any{}
		for name, engine := range i.Engines {
			engines[name] = map[string]any{"memory_mb": engine.MemoryMB}
		}
		sent["engines"] = engines
	case r.Method == http.MethodPut && last == "allowlist":
		sent["allowlist"] = i.Allowlist
	case r.Method == http.MethodPut && strings.HasSuffix(last, "console"):
		sent["mode"] = i.ConsoleMode
	default:
		optional := slices.DeleteFunc(sortedNames(sent), func(name string) bool {
			return r.Method == http.MethodPost && slices.Contains(required, name)
		})
		if len(optional) == 0 {
			return body
		}
		w.mu.Lock()
		name := optional[w.requests%len(optional)]
		w.mu.Unlock()
		delete(sent, name)
	}
	body, _ = json.Marshal(sent) // decoded JSON can be encoded
	return body
}
