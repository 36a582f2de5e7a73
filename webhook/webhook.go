package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The headers of a delivery.
const (
	// EventHeader holds the event's type, as the body does.
	EventHeader = "X-Service-Event"
	// DeliveryHeader holds the delivery's id, which is the same on every retry.
	DeliveryHeader = "X-Service-Delivery"
	// SignatureHeader holds "sha256=" and the hexadecimal HMAC-SHA256 of the raw body with
	// the endpoint's secret.
	SignatureHeader = "X-Service-Signature"
)

// Why a delivery is refused. The errors that Verify returns wrap one of them.
var (
	// ErrSecret is a mistake of the receiver's own: without a secret, or with an empty
	// one, anybody could sign.
	ErrSecret = errors.New("webhook: a secret is missing or empty")
	// ErrSignature is a signature that is missing or is not one by any of the secrets.
	ErrSignature = errors.New("webhook: the signature is not right")
	// ErrMalformed is a delivery that is signed and is none all the same: its body is no
	// event, its id is missing, or its headers say something else than the body.
	ErrMalformed = errors.New("webhook: this is no delivery")
)

// Event is what happened.
type Event struct {
	// ID identifies the event. It is signed, unlike the delivery's.
	ID string
	// Type says what happened, such as "ready" or "job_failed". New types come as features
	// do: what a receiver does not know it ignores, with a 2xx.
	Type string
	// InstanceID is the instance that the event concerns; "" where it concerns the account.
	InstanceID string
	// At is when it happened, in UTC.
	At time.Time
	// Data is a JSON object, whose content depends on the type.
	Data json.RawMessage
}

// Delivery is an event on its way to one endpoint.
type Delivery struct {
	// ID is the same on every retry. No signature covers it: who has seen a delivery can
	// send its body again under another one. Event.ID tells that.
	ID    string
	Event Event
}

// Sign gives the value of the header X-Service-Signature for a body, as the service does.
// Tests of receivers need it.
func Sign(body []byte, secret string) string {
	return prefix + hex.EncodeToString(sum(body, secret))
}

const prefix = "sha256="

func sum(body []byte, secret string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return mac.Sum(nil)
}

// Verify verifies a delivery by its raw body and its headers, in constant time for bodies
// of one length, and gives what it holds. A receiver names one secret, or while it changes
// from one to another both of them; an empty one is refused, whatever the other is.
func Verify(body []byte, header http.Header, secrets ...string) (Delivery, error) {
	if err := verifySignature(body, header.Values(SignatureHeader), secrets); err != nil {
		return Delivery{}, err
	}
	event, err := parse(body)
	if err != nil {
		return Delivery{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	id := header.Get(DeliveryHeader)
	switch {
	case id == "" || len(header.Values(DeliveryHeader)) != 1:
		return Delivery{}, fmt.Errorf("%w: it needs one %s", ErrMalformed, DeliveryHeader)
	case len(header.Values(EventHeader)) != 1 || header.Get(EventHeader) != event.Type:
		return Delivery{}, fmt.Errorf("%w: %s is not the type of the event in the body", ErrMalformed, EventHeader)
	}
	return Delivery{ID: id, Event: event}, nil
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
		return fmt.Errorf("%w: there are %d headers %s", ErrSignature, len(signatures), SignatureHeader)
	}
	given, signed := strings.CutPrefix(signatures[0], prefix)
	signature, err := hex.DecodeString(given)
	if !signed || err != nil || len(signature) != sha256.Size {
		return fmt.Errorf("%w: it must be %s and 64 hexadecimal digits", ErrSignature, prefix)
	}
	valid := false
	for _, secret := range secrets {
		valid = hmac.Equal(signature, sum(body, secret)) || valid
	}
	if !valid {
		return ErrSignature
	}
	return nil
}

// parse reads the body of a delivery. Fields that it does not know are for later editions.
func parse(body []byte) (Event, error) {
	var read struct {
		ID         string          `json:"id"`
		Type       string          `json:"type"`
		InstanceID *string         `json:"instance_id"`
		At         time.Time       `json:"at"`
		Data       json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(body, &read); err != nil {
		return Event{}, err
	}
	if read.ID == "" || read.Type == "" {
		return Event{}, errors.New("the event has no id or no type")
	}
	data := bytes.TrimSpace(read.Data)
	if len(data) == 0 || bytes.Equal(data, []byte("null")) {
		data = []byte("{}")
	}
	if data[0] != '{' {
		return Event{}, errors.New("the event's data is no object")
	}
	event := Event{ID: read.ID, Type: read.Type, At: read.At.UTC(), Data: data}
	if read.InstanceID != nil {
		event.InstanceID = *read.InstanceID
	}
	return event, nil
}
