package probe

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxAnswer is the maximum length of an answer in bytes. The rest is not read.
const maxAnswer = 16 << 20

// call is a request to send, with the expected answer of the document.
type call struct {
	// method and url name an operation of the document. in has the values of the url's
	// {parameters}.
	method, url string
	// sent is the method to send instead of method, or "" to send method.
	sent   string
	in     map[string]string
	query  url.Values
	header http.Header
	body   any
	// want is the status that the document has for the call.
	want int
	// The text what describes the request if the operation's name is not enough.
	what string
	// unjudged excludes the answer from the evidence.
	unjudged bool
}

// exchange is a call and its answer.
type exchange struct {
	call
	operation operation
	// status is 0 if there was no answer.
	status int
	header http.Header
	// json is the decoded body, nil if the body is not JSON.
	json any
}

// as reports whether the answer has the status that the document has for the call.
func (x *exchange) as() bool { return x.status == x.want }

// judged reports whether the answer says that the service takes the body, or that it does not.
func (x *exchange) judged() bool {
	return x.as() || x.status == http.StatusBadRequest || x.status == http.StatusUnprocessableEntity
}

// said describes the call in words.
func (x *exchange) said() string {
	if x.what != "" {
		return x.operation.name() + ", " + x.what
	}
	return x.operation.name()
}

// answered describes the answer in words: its status, and its code if it has one.
func (x *exchange) answered() string {
	if x.status == 0 {
		return "there is no answer"
	}
	words := fmt.Sprintf("the answer is %d", x.status)
	if code := text(object(x.json)["code"]); isWord(code) {
		words += " " + code
	}
	return words
}

// busy reports whether a change was refused because of another job.
func (x *exchange) busy() bool {
	return x.status == http.StatusConflict && x.want == http.StatusAccepted
}

// enveloped reports whether an answer is an error of the service itself, and not of
// something in between.
func (x *exchange) enveloped() bool {
	body := object(x.json)
	return text(body["code"]) != "" && text(body["detail"]) != ""
}

// errRefusedKey ends a probe before any other step.
var errRefusedKey = errors.New("the service refuses the key")

// tries is the maximum number of attempts of a call that fails transiently without having
// done anything.
const tries = 5

// send sends a call and compares the answer with the document. The error means that the
// service could not be reached; a different answer is not an error.
func (p *probe) send(ctx context.Context, c call) (*exchange, error) {
	if c.in == nil && strings.Contains(c.url, "/instances/{id}") {
		c.in = map[string]string{"id": p.instance}
	}
	op, known := p.document.operation(c.method, c.url)
	if !known {
		return nil, fmt.Errorf("the document has no %s %s", c.method, c.url)
	}
	if err := p.mayChange(c); err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		x, err := p.sendOnce(ctx, op, c)
		if err != nil {
			if c.method != http.MethodGet || try == tries || ctx.Err() != nil {
				return x, err
			}
		} else {
			if !c.unjudged {
				p.judge(x)
			}
			if x.as() || !p.passing(x) || try == tries {
				return x, nil
			}
		}
		if err := pause(ctx, max(p.options.Poll, x.retryAfter())); err != nil {
			return x, err
		}
	}
}

// passing reports whether an answer shows a transient failure without effect. For a read
// that may be any such answer; for a change it must come from the service itself. A
// create request for an instance is never sent twice.
func (p *probe) passing(x *exchange) bool {
	if x.method == http.MethodPost && x.url == instances {
		return false
	}
	switch x.status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return x.method == http.MethodGet || x.enveloped()
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return x.method == http.MethodGet
	}
	return false
}

func (x *exchange) retryAfter() time.Duration {
	if x == nil {
		return 0
	}
	seconds, err := strconv.Atoi(x.header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 60)) * time.Second
}

// mayChange rejects every call that could change anything but the probe's own instance.
func (p *probe) mayChange(c call) error {
	if c.method == http.MethodGet && (c.sent == "" || c.sent == http.MethodHead) {
		return nil
	}
	own := p.instance != "" && strings.HasPrefix(c.url, "/instances/{id}") && c.in["id"] == p.instance
	theOne := p.options.Create && c.method == http.MethodPost && c.url == instances && !p.asked
	if !own && !theOne {
		return fmt.Errorf("%s %s is not sent: it is not about an instance of the probe's own", c.method, c.url)
	}
	return nil
}

// once sends a call once.
func (p *probe) sendOnce(ctx context.Context, op operation, c call) (*exchange, error) {
	x := &exchange{call: c, operation: op}
	path := c.url
	for name, value := range c.in {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	address := p.base + path
	if len(c.query) > 0 {
		address += "?" + c.query.Encode()
	}
	var body io.Reader
	if c.body != nil {
		written, err := json.Marshal(c.body)
		if err != nil {
			return x, err
		}
		body = bytes.NewReader(written)
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.RequestTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, cmp.Or(c.sent, c.method), address, body)
	if err != nil {
		return x, errors.New("the address of a call is not a URL")
	}
	r.Header.Set("Authorization", "Bearer "+p.options.APIKey)
	r.Header.Set("User-Agent", "hosting-probe")
	if c.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	answer, err := p.client.Do(r)
	if err != nil {
		return x, fmt.Errorf("%s: %w", op.name(), reasonOf(err))
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return x, fmt.Errorf("%s: the answer broke off: %w", op.name(), reasonOf(err))
	}
	x.status, x.header = answer.StatusCode, answer.Header
	if json.Unmarshal(read, &x.json) != nil {
		x.json = nil
	}
	return x, nil
}

// reasonOf returns an error without the address, which the errors of http.Client repeat.
func reasonOf(err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// judge compares an answer with the document's description of the call.
func (p *probe) judge(x *exchange) {
	op, e := x.operation, p.findings
	switch {
	case x.as(), x.busy():
	case x.status >= http.StatusInternalServerError, x.status == http.StatusTooManyRequests:
		// A failure says nothing about the request. Only the form of the error is evidence.
		if !x.enveloped() {
			return
		}
	case x.want >= http.StatusBadRequest || x.want == http.StatusNotModified:
		if place, known := op.response(x.want); known && settled(p.document.at(place)) {
			e.differsHow(place, fmt.Sprintf("%s to %s", x.answered(), x.said()))
		} else {
			e.note(fmt.Sprintf("%s to %s, where the service's own description has %d", x.answered(), x.said(), x.want))
		}
		return
	default:
		if settled(op.at(op.place)) {
			e.differsHow(op.place, x.answered())
		} else {
			e.note(fmt.Sprintf("%s to %s", x.answered(), x.said()))
		}
		return
	}
	p.judgeAnswer(x)
}

// judgeAnswer compares an answer with everything that the document says about it.
func (p *probe) judgeAnswer(x *exchange) {
	op, e := x.operation, p.findings
	if x.as() && x.status < http.StatusMultipleChoices {
		if settled(op.at(op.place)) {
			e.holds(op.place)
		}
		for _, place := range op.parameters() {
			if at := op.at(place); settled(at) && at["in"] == "path" {
				e.holds(place)
			}
		}
	}
	response, known := op.response(x.status)
	if !known {
		return
	}
	if settled(op.at(response)) {
		e.holds(response)
	}
	for header := range object(op.at(response)["headers"]) {
		place, described := op.follow(join(response, "headers", header))
		switch {
		case x.header.Get(header) != "":
			e.holds(place)
		case header == "ETag" || described["required"] == true:
			e.differsHow(place, "is missing ("+x.said()+")")
		}
	}
	if schema := op.body(response); schema != "" {
		p.judgeBody(x, schema)
	}
}

// took records whether the service has applied a call, for each settled field of the sent
// body.
func (p *probe) took(x *exchange, holds bool, otherwise string) {
	p.document.shown(x.operation.request(), x.body, func(place string, _ any) {
		p.findings.found(place, holds, otherwise)
	})
}

// pause waits until the time has passed or the context ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
