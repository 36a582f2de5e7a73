package portal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/requestlog"
)

// requestShown is a request to the API without its secrets.
type requestShown struct {
	Number   int
	At       time.Time
	Took     time.Duration
	Method   string
	Path     string
	Status   int
	Served   int
	Fault    bool
	Answered bool
	// Code and Reason say why the request was refused. They are "" if it was not.
	Code, Reason string
}

// requestsShown is a page of requests, newest first. Older is the address of the next page.
type requestsShown struct {
	Requests []requestShown
	Matches  int
	Older    string
}

// requestDetail is one request with its bodies.
type requestDetail struct {
	requestShown
	Headers      []option
	Body, Answer bodyShown
}

// bodyShown is a body. Missing is the reason that it is not shown.
type bodyShown struct {
	Title, Text, Missing string
}

// Filters of the list of requests, in addition to the classes of statuses.
const (
	faulted  = "fault"
	noAnswer = "none"
)

// shownHeaders has the headers of a request that are shown. Others may have secrets.
var shownHeaders = []string{"Content-Type", "Idempotency-Key", "If-None-Match", "User-Agent"}

func showRequests(c *call) (*page, error) {
	query := c.r.URL.Query()
	before, _ := strconv.Atoi(query.Get("before")) // an address typed by hand means the newest
	entries := slices.DeleteFunc(c.Scenario.Log.Entries(), func(e requestlog.Entry) bool {
		return before > 0 && e.Number >= before || !selects(query, e)
	})
	slices.Reverse(entries)
	hide := c.redaction()
	data := requestsShown{Matches: len(entries)}
	for _, e := range entries[:min(len(entries), shownAtOnce)] {
		data.Requests = append(data.Requests, hide.request(e))
	}
	if len(entries) > shownAtOnce {
		query.Set("before", strconv.Itoa(entries[shownAtOnce-1].Number))
		data.Older = FakePath + "/requests?" + query.Encode()
	}
	p := fakePage("Requests", "requests", "/requests")
	p.Data = data
	p.Forms = []*form{{ID: "filter", Action: FakePath + "/requests", Submit: "Show", Filter: true, Fields: []*field{
		{Name: "method", Label: "Method", Kind: choice, Value: query.Get("method"), Choices: methods},
		{Name: "path", Label: "Path", Kind: "text", Value: query.Get("path"), Autocomplete: "off", Code: true, Help: "Such as /instances/*; a final ** is everything below."},
		{Name: "status", Label: "Status", Kind: choice, Value: query.Get("status"), Choices: []option{
			{"", "any"}, {"2", "2xx: success"}, {"3", "3xx: unchanged"}, {"4", "4xx: refused"}, {"5", "5xx: failed"}, {noAnswer, "no answer"}, {faulted, "affected by a fault"},
		}},
	}}}
	return p, nil
}

var methods = []option{{"", "any"}, {"GET", "GET"}, {"POST", "POST"}, {"PUT", "PUT"}, {"PATCH", "PATCH"}, {"DELETE", "DELETE"}}

// selects reports whether a filter selects a request.
func selects(filter url.Values, e requestlog.Entry) bool {
	method, status := filter.Get("method"), filter.Get("status")
	if method != "" && method != e.Method || !gateway.MatchPath(filter.Get("path"), e.Path) {
		return false
	}
	switch status {
	case "":
		return true
	case faulted:
		return e.Fault
	case noAnswer:
		return e.Status == 0
	}
	return status == strconv.Itoa(e.Status/100)
}

func showRequest(c *call) (*page, error) {
	entries := c.Scenario.Log.Entries()
	at := slices.IndexFunc(entries, func(e requestlog.Entry) bool { return strconv.Itoa(e.Number) == c.param("number") })
	if at < 0 {
		return nil, core.Refuse(core.NotFound, "There is no request %q in the log. Only the newest are kept.", c.param("number"))
	}
	hide, e := c.redaction(), entries[at]
	data := requestDetail{
		requestShown: hide.request(e),
		Body:         hide.shown("Request body", e.Body, e.BodySize, false),
		Answer:       hide.shown("Response body", e.Answer, e.AnswerSize, true),
	}
	for _, name := range shownHeaders {
		if value := e.Header.Get(name); value != "" {
			data.Headers = append(data.Headers, option{name, hide.text(value)})
		}
	}
	p := fakePage("Request "+c.param("number"), "request", "/requests")
	p.Data = data
	return p, nil
}

// request returns a request without its secrets.
func (r redaction) request(e requestlog.Entry) requestShown {
	path := e.Path
	if e.Query != "" {
		path += "?" + e.Query
	}
	code, reason := reasonOf(e)
	return requestShown{
		Number: e.Number, At: e.At, Took: e.Took.Round(time.Microsecond), Method: r.text(e.Method), Path: r.text(path),
		Status: e.Status, Served: e.Served, Fault: e.Fault, Answered: e.Took > 0, Code: r.text(code), Reason: r.text(reason),
	}
}

// reasonOf returns why a request was refused, or "" if it was not.
func reasonOf(e requestlog.Entry) (code, reason string) {
	var refusal struct{ Code, Detail string }
	switch {
	case e.Took == 0:
		return "", "Not answered yet."
	case e.Status == 0:
		return "", "The connection was closed without an answer."
	case e.Status < http.StatusBadRequest:
		return "", ""
	case json.Unmarshal(e.Answer, &refusal) == nil && refusal.Code != "":
		return refusal.Code, sentence(refusal.Detail)
	}
	return "", "The answer is not in the service's envelope."
}

// shown returns a body without its secrets. size is its size in the log's entry.
func (r redaction) shown(title string, body []byte, size int, isAnswer bool) bodyShown {
	switch {
	case size == 0:
		return bodyShown{title, "", "None."}
	case body == nil:
		return bodyShown{title, "", fmt.Sprintf("%d bytes, which were not kept. The newest requests have bodies of up to %d KiB.", size, requestlog.BodyLimit>>10)}
	}
	text, err := r.body(body, isAnswer)
	if err != nil {
		return bodyShown{title, "", strconv.Itoa(size) + " bytes, which are not shown: " + err.Error() + "."}
	}
	return bodyShown{title, text, ""}
}
