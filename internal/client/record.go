package client

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

// ReadLag is the time during which reads of the service may show the state from before a
// write (SERVICE.md#tolerance).
const ReadLag = 15 * time.Second

// get reads one record.
func get[T any](ctx context.Context, c *Client, path ...string) (T, error) {
	return transport.Do[T](ctx, c.sender, transport.Request{Method: http.MethodGet, Path: path})
}

// A record is an object of the API with an identifier.
type record interface{ Identifier() string }

// getRecord reads the record with an identifier. An answer with another record or none
// does not come from the service: `null` and {"message": "maintenance"} decode into an
// empty record without an error.
func getRecord[T record](ctx context.Context, c *Client, r transport.Request, id string) (T, error) {
	r.Method = http.MethodGet
	value, err := transport.Do[T](ctx, c.sender, r)
	switch other := value.Identifier(); {
	case err != nil, other == id:
	case strings.EqualFold(other, id):
		err = &OtherCaseError{ID: other}
	default:
		err = c.sender.Foreign(r, fmt.Sprintf("the answer is not the record of %q", id))
	}
	return value, err
}

// An OtherCaseError reports a record whose id or name was requested in another letter case.
type OtherCaseError struct{ ID string } // as the service has it

func (e *OtherCaseError) Error() string {
	return fmt.Sprintf("the service has it as %q, in another letter case", e.ID)
}

// NextStep says what to do.
func (e *OtherCaseError) NextStep() string { return fmt.Sprintf("Write %q, and try again.", e.ID) }

// notListed returns the error of a record that a list does not contain. A record whose
// identifier differs only in its letter case may be the same one, so that is not an absence.
func notListed[T record](records []T, what, id string) error {
	for _, r := range records {
		if strings.EqualFold(r.Identifier(), id) {
			return &OtherCaseError{ID: r.Identifier()}
		}
	}
	return fmt.Errorf("%s %s: %w", what, id, ErrNotFound)
}

// find returns the record with an identifier from a list.
func find[T record](records []T, id string) (T, bool) {
	for _, r := range records {
		if r.Identifier() == id {
			return r, true
		}
	}
	var none T
	return none, false
}
