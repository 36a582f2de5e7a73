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

// rememberedIDs is how many ids a Receiver remembers that has no Memory of its own.
const rememberedIDs = 20_000

// Receiver answers the deliveries of one endpoint. It is an http.Handler; its fields are
// not changed while it answers. What it answers:
//
//	204  it was handled, or it came before and was handled then
//	400  it is signed and no delivery
//	401  it is not signed by the secret
//	405  it is no POST
//	413  its body is longer than MaxBody
//	500  Handle failed, or there is no secret: the service tries again
//	503  the same one is being handled at this moment: the service tries again
type Receiver struct {
	// Secrets are the endpoint's: one, or while it is changed both. None may be empty.
	Secrets []string
	// Handle is required. It does what is to be done about an event, within the 10 seconds that the
	// service waits. Where it fails, or takes longer, the same delivery comes again.
	Handle func(context.Context, Delivery) error
	// Memory tells deliveries that came before; nil is the last 10,000 of them, until the
	// program ends.
	Memory Memory
	// Refused is told why a request was not answered with a 2xx; nil is nobody.
	Refused func(error)

	once     sync.Once
	memory   Memory
	mu       sync.Mutex
	handling map[string]bool
}

// errBeingHandled is a delivery that comes again too early.
var errBeingHandled = errors.New("webhook: the same event is being handled")

// ServeHTTP answers a delivery.
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
		return http.StatusMethodNotAllowed, errors.New("webhook: a delivery is a POST")
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

// handleOnce handles a delivery that neither came before nor is at work. It is noted only
// once it is handled, so that one whose handling fails is handled when it comes again.
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
	// It is done, even if the service has given up waiting for the answer.
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
