package rest

import (
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/instance-hosting/terraform-provider-hosting/internal/apispec"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/operations"
)

// route is a method and a path of the API.
type route struct {
	method, pattern string
	operations.Function
	// success is the status of a successful request.
	success int
}

// routes returns the routes for the table of operations. The status of a success comes
// from the document.
var routes = sync.OnceValue(func() []route {
	documented, err := apispec.Operations()
	if err != nil {
		panic("rest: " + err.Error()) // a test of the document finds this first
	}
	success := map[string]int{}
	for _, o := range documented {
		success[o.String()] = o.Statuses[0]
	}
	var all []route
	for _, o := range operations.All {
		for _, address := range o.REST {
			method, pattern, _ := strings.Cut(address, " ")
			all = append(all, route{method, pattern, o.Run, success[address]})
		}
	}
	return all
})

// findRoute matches an escaped path after the prefix. http.ServeMux would redirect some
// paths, which clients of this API must never see.
func (a *API) findRoute(method, path string) (*route, map[string]string) {
	pattern, params := a.findPattern(path)
	for i := range a.routes {
		if a.routes[i].method == method && a.routes[i].pattern == pattern {
			return &a.routes[i], params
		}
	}
	return nil, nil
}

// findPattern returns the pattern of a path, or "". If two patterns match, the one with
// fewer parameters counts: the path of an import is not that of an app.
func (a *API) findPattern(path string) (pattern string, params map[string]string) {
	for _, one := range a.routes {
		if found, ok := matchPattern(one.pattern, path); ok && (pattern == "" || len(found) < len(params)) {
			pattern, params = one.pattern, found
		}
	}
	return pattern, params
}

// methods returns the methods that an escaped path after the prefix supports. It returns
// none if the path does not exist.
func (a *API) methods(path string) []string {
	pattern, _ := a.findPattern(path)
	var allowed []string
	for _, one := range a.routes {
		if one.pattern != pattern {
			continue
		}
		if allowed = append(allowed, one.method); one.method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	return allowed
}

func matchPattern(pattern, path string) (map[string]string, bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	params := map[string]string{}
	for i, part := range want {
		value, err := url.PathUnescape(have[i])
		if err != nil {
			return nil, false
		}
		if name, ok := strings.CutPrefix(part, "{"); ok {
			if value == "" {
				return nil, false
			}
			params[strings.TrimSuffix(name, "}")] = value
		} else if part != value {
			return nil, false
		}
	}
	return params, true
}
