// Package signed verifies signed webhook deliveries, for the demo and for tests of the
// fake.
//
// It shares no code with the fake, which signs them. Package webhook does the same for
// users, and more; it is a separate module, and this one does not depend on it.
package signed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// A Delivery is an event on its way to one endpoint.
type Delivery struct {
	// ID is the same on every retry.
	ID    string
	Event Event
}

// An Event is the body of a delivery.
type Event struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	InstanceID string          `json:"instance_id"`
	At         time.Time       `json:"at"`
	Data       json.RawMessage `json:"data"`
}

// Sign returns the value of the header X-Service-Signature for a body.
func Sign(body []byte, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Verify returns the delivery with this body and header, if it is signed with secret.
func Verify(body []byte, header http.Header, secret string) (Delivery, error) {
	if got := header.Get("X-Service-Signature"); !hmac.Equal([]byte(got), []byte(Sign(body, secret))) {
		return Delivery{}, errors.New("signature mismatch")
	}
	d := Delivery{ID: header.Get("X-Service-Delivery")}
	if err := json.Unmarshal(body, &d.Event); err != nil {
		return Delivery{}, fmt.Errorf("malformed delivery: %w", err)
	}
	if got := header.Get("X-Service-Event"); d.ID == "" || d.Event.ID == "" || got != d.Event.Type {
		return Delivery{}, fmt.Errorf("malformed delivery: id %q, event id %q, type %q in the header and %q in the body", d.ID, d.Event.ID, got, d.Event.Type)
	}
	return d, nil
}
