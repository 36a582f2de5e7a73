package fakeservice_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// play sends requests to what is below a path, one a line, and checks each answer:
//
//	PUT /allowlist {"allowlist":["everyone"]} => 422 validation_failed | detail~allowlist
//
// A line has the method, the rest of the path (or a dot for none), perhaps a body, and the
// status with the error's code. It may have members of the answer: name=JSON, name~beginning
// of a text, and name#=number of elements. In place of the status, done is a change whose job
// is finished. A line "advance 5s" moves the clock, and one that begins with "fake" is a
// control request, whose path begins at /_fake.
func (a *api) play(path, script string) {
	a.t.Helper()
	for line := range strings.Lines(script) {
		request, expected, _ := strings.Cut(strings.TrimSpace(line), " => ")
		request, controls := strings.CutPrefix(request, "fake ")
		words := strings.SplitN(request, " ", 3)
		if words[0] == "advance" {
			a.Advance(must.Get(time.ParseDuration(words[1]))(a.t))
		}
		if expected == "" {
			continue
		}
		var body any
		if len(words) == 3 {
			body = words[2]
		}
		wanted := strings.Split(expected, " | ")
		status, code, _ := strings.Cut(wanted[0], " ")
		if controls {
			got, text := a.control(words[0], words[1], strings.Join(words[2:], ""))
			equal(a.t, strings.TrimSpace(line), strconv.Itoa(got), status)
			a.check(line, answer{body: text}, wanted[1:])
			continue
		}
		at := path + strings.TrimPrefix(words[1], ".")
		if wanted[0] == "done" {
			a.check(line, a.done(words[0], at, body), wanted[1:])
			continue
		}
		a.check(line, a.want(must.Get(strconv.Atoi(status))(a.t), code, words[0], at, body), wanted[1:])
	}
}

// check compares members of an answer with those of a line of play.
func (a *api) check(line string, got answer, wanted []string) {
	a.t.Helper()
	for _, member := range wanted {
		end := strings.IndexAny(member, "#~=")
		found := at(answer{body: got.body}, member[:end])
		if beginning, ok := strings.CutPrefix(member[end:], "~"); ok {
			if text, _ := found.(string); !strings.HasPrefix(text, beginning) {
				a.t.Errorf("%s: got %v, want a text that begins with %s", line, found, beginning)
			}
			continue
		}
		value, counts := strings.CutPrefix(member[end:], "#")
		if list, _ := found.([]any); counts {
			found = float64(len(list))
		}
		var want any
		must.Do(a.t, json.Unmarshal([]byte(strings.TrimPrefix(value, "=")), &want))
		equal(a.t, strings.TrimSpace(line)+": "+member[:end], found, want)
	}
}
