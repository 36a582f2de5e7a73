package mcp

import (
	"mime"
	"net/http"
	"strings"
)

// The forms of an answer to a message.
const (
	singleType    = "application/json"
	streamingType = "text/event-stream"
)

// takes reports which forms of an answer a client takes. The protocol asks a client to name
// both. Some name one, and get the answer in it. One that names none takes JSON.
func takes(r *http.Request) (single, streaming bool) {
	named := r.Header.Values("Accept")
	if len(named) == 0 {
		return true, false
	}
	for one := range strings.SplitSeq(strings.Join(named, ","), ",") {
		switch kind, _, _ := mime.ParseMediaType(one); kind {
		case "*/*":
			single, streaming = true, true
		case singleType, "application/*":
			single = true
		case streamingType, "text/*":
			streaming = true
		}
	}
	return single, streaming
}
