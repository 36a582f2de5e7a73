package client

import (
	"context"
	"fmt"
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

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
	if err == nil && value.Identifier() != id {
		err = c.sender.Foreign(r, fmt.Sprintf("the answer is not the record of %q", id))
	}
	return value, err
}
