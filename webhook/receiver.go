package webhook

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
)

// MaxBody is the longest body that a Receiver reads, in bytes.
const MaxBody = 1 << 20

// rememberedIDs is the number of ids that the default Memory of a Receiver stores.
const rememberedIDs = 20_000

// Receiver is an http.Handler for the deliveries to one endpoint. Its fields must not change
// while it is in use. It responds with these statuses:
//
//	204  the delivery is handled, now or before
//	400  the request is signed, but malformed
//	401  the signature is missing or wrong
//	405  the request is not a POST
//	413  the body is longer than MaxBody
//	500  Handle or Memory failed, or no secret is set; the service retries
//	503  the same event is being handled; the service retries
type Receiver struct {
	// Secrets are the endpoint's secrets: one, or the old and the new one while the secret
	// is changed. None may be empty.
	Secrets []string
	// Handle handles a delivery within 10 seconds. It is required. If it fails or takes
	// longer, the service delivers the event again.
	Handle func(context.Context, Delivery) error
	// Memory recognises repeated deliveries. If nil, the last 10,000 deliveries are stored
	// until the program ends.
	Memory Memory
	// Refused, if non-nil, is called with the reason for each response that is not a 2xx.
	Refused func(error)

	once     sync.Once
	memory   Memory
	mu       sync.Mutex
	handling map[string]bool
}

// errBeingHandled is the error of a delivery that arrives again before the first one is
// handled.
var errBeingHandled = errors.New("webhook: event is already being handled")

// ServeHTTP verifies and handles a delivery.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	status, err := r.receive(w, request)
	if err != nil && r.Refused != nil {
		r.Refused(err)
	}
	if status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	w.WriteHeader(status)
}

func (r *Receiver) receive(w http.ResponseWriter, request *http.Request) (status int, err error) {
	if request.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, errors.New("webhook: method is not POST")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, MaxBody))
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return http.StatusRequestEntityTooLarge, err
	}
	if err != nil {
		return http.StatusBadRequest, err
	}
	d, err := Verify(body, request.Header, r.Secrets...)
	switch {
	case errors.Is(err, ErrSecret):
		return http.StatusInternalServerError, err
	case errors.Is(err, ErrSignature):
		return http.StatusUnauthorized, err
	case err != nil:
		return http.StatusBadRequest, err
	}
	err = r.handleOnce(request.Context(), d)
	switch {
	case errors.Is(err, errBeingHandled):
		return http.StatusServiceUnavailable, err
	case err != nil:
		return http.StatusInternalServerError, err
	}
	return http.StatusNoContent, nil
}

// handleOnce handles a delivery unless it was handled before. Its ids are stored after it
// is handled, so that a delivery whose handling failed is handled when it is repeated.
func (r *Receiver) handleOnce(ctx context.Context, d Delivery) error {
	r.once.Do(func() {
		r.handling = map[string]bool{}
		if r.memory = r.Memory; r.memory == nil {
			r.memory = NewRecent(rememberedIDs)
		}
	})
	if !r.begin(d.Event.ID) {
		return errBeingHandled
	}
	defer r.end(d.Event.ID)
	ids := []string{d.ID, d.Event.ID}
	for _, id := range ids {
		if known, err := r.memory.Knows(ctx, id); err != nil || known {
			return err
		}
	}
	if err := r.Handle(ctx, d); err != nil {
		return err
	}
	// The delivery is handled, even if the service no longer waits for the response.
	return r.memory.Note(context.WithoutCancel(ctx), ids...)
}

func (r *Receiver) begin(eventID string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handling[eventID] {
		return false
	}
	r.handling[eventID] = true
	return true
}

func (r *Receiver) end(eventID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.handling, eventID)
}
