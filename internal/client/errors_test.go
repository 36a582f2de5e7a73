package client

import (
	"errors"
	"fmt"
	"testing"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client/transport"
)

func TestWhatAnErrorIs(t *testing.T) {
	sentinels := []error{ErrNotFound, ErrUnauthorized, ErrForbidden, ErrJobRunning, ErrAlreadyExists, ErrConsoleOff, ErrValidation, ErrSQL, transport.ErrRateLimited, ErrUnavailable, transport.ErrForeign}
	for _, row := range []struct {
		status int
		code   string
		is     []error
	}{
		{404, "not_found", []error{ErrNotFound}},
		{410, "not_found", []error{ErrNotFound}},
		{404, "", []error{transport.ErrForeign}},
		{410, "", []error{transport.ErrForeign}},
		{404, "no_such_route", nil},
		{502, "not_found", []error{ErrUnavailable}},
		{401, "unauthorized", []error{ErrUnauthorized}},
		{403, "console_off", []error{ErrConsoleOff}},
		{403, "forbidden", []error{ErrForbidden}},
		{403, "payment_required", nil},
		{409, "job_running", []error{ErrJobRunning}},
		{409, "already_exists", []error{ErrAlreadyExists}},
		{409, "", []error{transport.ErrForeign}},
		{422, "sql_error", []error{ErrSQL}},
		{422, "validation_failed", []error{ErrValidation}},
		{429, "", []error{transport.ErrRateLimited, transport.ErrForeign}},
		{503, "unavailable", []error{ErrUnavailable}},
		{502, "", []error{ErrUnavailable, transport.ErrForeign}},
	} {
		err := &transport.APIError{Status: row.status, Code: row.code}
		for _, sentinel := range sentinels {
			want := false
			for _, is := range row.is {
				want = want || is == sentinel
			}
			if got := errors.Is(fmt.Errorf("wrapped: %w", err), sentinel); got != want {
				t.Errorf("%d %q is %v: got %v, want %v", row.status, row.code, sentinel, got, want)
			}
		}
	}
}

func TestField(t *testing.T) {
	for _, row := range []struct {
		status             int
		code, detail, want string
	}{
		{422, "validation_failed", "name: it must not be empty", "name"},
		{422, "validation_failed", "engines.redis.memory_mb: 5 is under the floor", "engines.redis.memory_mb"},
		{422, "validation_failed", "`memory_mb` must be at least 128", "memory_mb"},
		{422, "validation_failed", "Idempotency-Key: it was sent before", ""},
		{422, "validation_failed", "The value is too long", ""},
		{422, "validation_failed", "", ""},
		{422, "sql_error", "relation: it is missing", ""},
		{422, "", "name: a page", ""},
		{409, "already_exists", "name: it is taken", ""},
	} {
		if got := RefusedField(&transport.APIError{Status: row.status, Code: row.code, Detail: row.detail}); got != row.want {
			t.Errorf("RefusedField of %d %q %q: got %q, want %q", row.status, row.code, row.detail, got, row.want)
		}
	}
}
