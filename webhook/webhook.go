package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The headers of a delivery.
const (
	// EventHeader is the event's type, which is also in the body.
	EventHeader = "X-Service-Event"
	// DeliveryHeader is the delivery's id, which is the same on every retry.
	DeliveryHeader = "X-Service-Delivery"
	// SignatureHeader is "sha256=" and the hexadecimal HMAC-SHA256 of the raw body with the
	// endpoint's secret.
	SignatureHeader = "X-Service-Signature"
)

// Reasons for refusing a delivery. Each error of Verify wraps one of them.
var (
	// ErrSecret means that the receiver has no secret, or an empty one, with which anyone
	// could sign.
	ErrSecret = errors.New("webhook: missing or empty secret")
	// ErrSignature means that the signature is missing or made with a different secret.
	ErrSignature = errors.New("webhook: signature mismatch")
	// ErrMalformed means that the request is signed, but its body is not an event, its
	// delivery id is missing, or its headers contradict its body.
	ErrMalformed = errors.New("webhook: malformed delivery")
)

// Event is something that happened in the account.
type Event struct {
	// ID identifies the event. It is part of the signed body.
	ID string
	// Type is the kind of event, such as "ready" or "job_failed". The service adds types
	// over time. Ignore unknown types, and respond with a 2xx.
	Type string
	// InstanceID is the instance that the event concerns, or empty if it concerns the account.
	InstanceID string
	// At is the time of the event, in UTC. It is zero if the body has no time in RFC 3339. A
	// repeated event arrives after newer ones, so it is not always newer than the last one.
	At time.Time
	// Data is JSON that depends on the type, usually an object.
	Data json.RawMessage
}

// Delivery is an event on its way to one endpoint.
type Delivery struct {
	// ID is the same on every retry. It is not signed: an attacker who has seen a delivery
	// can send its body with a different ID. Compare Event.ID, too.
	ID    string
	Event Event
}

// Sign returns the value of the header X-Service-Signature for a body. It computes the
// value like the service. Use it to test receivers.
func Sign(body []byte, secret string) string {
	return prefix + hex.EncodeToString(sum(body, secret))
}

const prefix = "sha256="

func sum(body []byte, secret string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return mac.Sum(nil)
}

// Verify verifies a delivery and returns it. body is the raw body. secrets are the
// endpoint's secret, or the old and the new one while it is being changed; none may be
// empty. Signatures are compared in constant time. The case of header names does not matter,
// because some gateways convert them to lower case.
func Verify(body []byte, header http.Header, secrets ...string) (Delivery, error) {
	if err := verifySignature(body, valuesOf(header, SignatureHeader), secrets); err != nil {
		return Delivery{}, err
	}
	event, err := parse(body)
	if err != nil {
		return Delivery{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	ids, types := valuesOf(header, DeliveryHeader), valuesOf(header, EventHeader)
	switch {
	case len(ids) != 1 || ids[0] == "":
		return Delivery{}, fmt.Errorf("%w: want one header %s", ErrMalformed, DeliveryHeader)
	case len(types) != 1 || types[0] != event.Type:
		return Delivery{}, fmt.Errorf("%w: %s differs from the type in the body", ErrMalformed, EventHeader)
	}
	return Delivery{ID: ids[0], Event: event}, nil
}

// valuesOf returns the values of a header, whatever the case of its name.
func valuesOf(header http.Header, name string) []string {
	var all []string
	for key, values := range header {
		if strings.EqualFold(key, name) {
			all = append(all, values...)
		}
	}
	return all
}

func verifySignature(body []byte, signatures, secrets []string) error {
	if len(secrets) == 0 {
		return ErrSecret
	}
	for _, secret := range secrets {
		if secret == "" {
			return ErrSecret
		}
	}
	if len(signatures) != 1 {
		return fmt.Errorf("%w: got %d headers %s, want 1", ErrSignature, len(signatures), SignatureHeader)
	}
	given, signed := strings.CutPrefix(signatures[0], prefix)
	signature, err := hex.DecodeString(given)
	if !signed || err != nil || len(signature) != sha256.Size {
		return fmt.Errorf("%w: want %s and 64 hexadecimal digits", ErrSignature, prefix)
	}
	valid := false
	for _, secret := range secrets {
		valid = hmac.Equal(signature, sum(body, secret)) || valid
	}
	if !valid && slices.ContainsFunc(secrets, func(secret string) bool { return strings.TrimSpace(secret) != secret }) {
		return fmt.Errorf("%w: a secret begins or ends with white space, perhaps from the file or variable with it", ErrSignature)
	}
	if !valid {
		return ErrSignature
	}
	return nil
}

// parse reads the body of a delivery. It ignores unknown fields, which the service may add.
// Only the id and the type are needed: the service disables an endpoint that refuses events.
func parse(body []byte) (Event, error) {
	var read struct {
		ID         string          `json:"id"`
		Type       string          `json:"type"`
		InstanceID json.RawMessage `json:"instance_id"`
		At         json.RawMessage `json:"at"`
		Data       json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &read); err != nil {
		return Event{}, err
	}
	if read.ID == "" || read.Type == "" {
		return Event{}, errors.New("missing id or type")
	}
	event := Event{ID: read.ID, Type: read.Type, InstanceID: textOf(read.InstanceID), Data: read.Data}
	if at, err := time.Parse(time.RFC3339, textOf(read.At)); err == nil {
		event.At = at.UTC()
	}
	if len(event.Data) == 0 || string(event.Data) == "null" {
		event.Data = json.RawMessage("{}")
	}
	return event, nil
}

// textOf returns the text of a JSON string or number, and "" for anything else.
func textOf(value json.RawMessage) string {
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(value, &text) == nil:
		return text
	case json.Unmarshal(value, &number) == nil:
		return number.String()
	}
	return ""
}
