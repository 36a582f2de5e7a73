package control

import (
	"net/http"
	"strings"
)

// handler answers a control request with a value to encode as JSON, or with an archive.
type handler func(c *control, r *http.Request) (any, error)

// route is a control route. Its description is one line for the index page and the README.
type route struct {
	pattern, description string
	handle               handler
}

// Route describes a control route.
type Route struct{ Method, Path, Description string }

// Routes returns all control routes, in the order of the table.
func Routes() []Route {
	list := make([]Route, len(routes))
	for i, r := range routes {
		method, path, _ := strings.Cut(r.pattern, " ")
		list[i] = Route{method, path, r.description}
	}
	return list
}

// routes has every control route.
var routes = []route{
	{"GET /_fake/state", "everything that the API shows, at one moment", (*control).getState},
	{"GET /_fake/left", "the number of objects that an unused account does not have", (*control).getLeft},
	{"GET /_fake/requests", "the logged requests to the API, without headers and bodies", (*control).getRequests},
	{"GET /_fake/violations", "the requests and responses that violated the API's document", (*control).getViolations},
	{"GET /_fake/processes", "the processes of the instances", (*control).getProcesses},
	{"GET /_fake/mail", "the mails that the service would have sent", (*control).getMail},

	{"GET /_fake/jobs", "jobs and builds with the times of both clocks", (*control).getJobs},
	{"POST /_fake/jobs/start", "starts a job that no request has asked for", (*control).startJob},
	{"POST /_fake/jobs/hold", "keeps jobs in progress until they are released", (*control).holdJobs},
	{"POST /_fake/jobs/release", "releases one hold or all, of jobs and builds", (*control).release},
	{"POST /_fake/jobs/finish", "ends a job immediately", (*control).finishJob},
	{"POST /_fake/jobs/fail", "makes the next jobs fail", (*control).failJobs},
	{"POST /_fake/builds/hold", "keeps builds in progress until they are released", (*control).holdBuilds},
	{"POST /_fake/builds/release", "releases one hold or all, of jobs and builds", (*control).release},
	{"POST /_fake/builds/fail", "makes the next builds fail", (*control).failBuilds},
	{"POST /_fake/apps/fail", "makes the next deployments or restarts of apps fail", (*control).failApps},
	{"GET /_fake/apps/{instance}/{name}/log", "the end of an app's log", (*control).getAppLog},
	{"GET /_fake/apps/{instance}/{name}/builds/{build}/log", "the end of a build's log", (*control).getBuildLog},
	{"POST /_fake/checkout/{instance}", "finishes the checkout of an instance", (*control).payCheckout},
	{"POST /_fake/instances/{instance}/remove", "removes an instance without a job", (*control).removeInstance},

	{"GET /_fake/events", "the events so far", (*control).getEvents},
	{"POST /_fake/events", "emits an event of any type", (*control).postEvent},
	{"GET /_fake/webhooks/{id}/deliveries", "the deliveries of a webhook endpoint", (*control).getDeliveries},
	{"POST /_fake/webhooks/{id}/test", "sends a test event to a webhook endpoint", (*control).postTestEvent},
	{"POST /_fake/clock/advance", "moves the fake's clock forward", (*control).advance},

	{"POST /_fake/faults", "installs a fault at the gateway", (*control).postFault},
	{"DELETE /_fake/faults", "removes all faults", (*control).deleteFaults},
	{"GET /_fake/conditions", "the conditions that apply to all requests", (*control).getConditions},
	{"PUT /_fake/conditions", "replaces the conditions that apply to all requests", (*control).putConditions},
	{"GET /_fake/weather", "the weather and its seed", (*control).getWeather},
	{"PUT /_fake/weather", "sets the weather", (*control).putWeather},
	{"POST /_fake/away", "makes the service unreachable for a time", (*control).away},
	{"GET /_fake/late", "the number of requests that the service has yet to see", (*control).getLate},
	{"POST /_fake/late/deliver", "delivers those requests now", (*control).deliverLate},

	{"GET /_fake/snapshots", "the names of the snapshots", (*control).getSnapshots},
	{"POST /_fake/snapshots", "takes a snapshot", (*control).postSnapshot},
	{"GET /_fake/snapshots/{name}", "downloads a snapshot", (*control).getSnapshot},
	{"PUT /_fake/snapshots/{name}", "uploads a snapshot", (*control).putSnapshot},
	{"DELETE /_fake/snapshots/{name}", "deletes a snapshot", (*control).deleteSnapshot},
	{"POST /_fake/snapshots/{name}/restore", "restores a snapshot", (*control).restoreSnapshot},
	{"POST /_fake/fork", "starts another fake with a copy of the current state", (*control).fork},
	{"POST /_fake/reset", "removes all records, faults and holds, and restores the initial contents", (*control).reset},
}
