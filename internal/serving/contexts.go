package serving

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// A ProviderServer is a server of a provider with all that the framework serves for
// this one. The SDK looks for lists and actions by assertion.
type ProviderServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// WithShortContexts is a server whose calls leave nothing of their contexts behind.
//
// The framework keeps a function that cancels the context of each call until the
// provider is stopped, and with it the context: what the call was about, its
// loggers, its stream. So each call is given a context that lets go of the real one
// when the call is over.
//
// The two calls that answer with a stream keep their contexts: they go on after they
// have returned.
func WithShortContexts(inner ProviderServer) ProviderServer {
	return &shortContexts{ProviderServer: inner, running: map[*callContext]context.CancelFunc{}}
}

type shortContexts struct {
	ProviderServer

	mu      sync.Mutex
	running map[*callContext]context.CancelFunc
	stopped bool          // and not configured anew since, as for the next run of a CLI with -debug
	ended   chan struct{} // closed when the last of them has ended; nil where nobody waits for that
}

// A callContext is the context of one call: the real one while the call runs, and a
// cancelled one without values once it is over. Derived contexts that outlive the
// call ask it, and so let go too.
type callContext struct {
	now atomic.Pointer[context.Context]
}

func (c *callContext) Deadline() (time.Time, bool) { return (*c.now.Load()).Deadline() }
func (c *callContext) Done() <-chan struct{}       { return (*c.now.Load()).Done() }
func (c *callContext) Err() error                  { return (*c.now.Load()).Err() }
func (c *callContext) Value(key any) any           { return (*c.now.Load()).Value(key) }

// over is the context of every call that is over.
var over = func() *context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return &ctx
}()

// begin gives a call its context, and the function that ends it.
func (s *shortContexts) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	c := &callContext{}
	c.now.Store(&ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[c] = cancel
	if s.stopped {
		cancel() // Terraform reads what it has just imported, stopped or not
	}
	return c, func() {
		cancel()
		c.now.Store(over)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, c)
		if len(s.running) == 0 && s.ended != nil {
			close(s.ended)
			s.ended = nil
		}
	}
}

// idle returns a channel that is closed once no call runs. It is called once at most.
func (s *shortContexts) idle() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := make(chan struct{})
	if len(s.running) == 0 {
		close(ended)
	} else {
		s.ended = ended
	}
	return ended
}

// InvokeAction passes an action on as it is. It runs until its stream has ended.
func (s *shortContexts) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	_, end := s.begin(ctx)
	stream, err := s.ProviderServer.InvokeAction(ctx, req)
	if err != nil {
		end()
		return nil, err
	}
	events := stream.Events
	stream.Events = func(yield func(tfprotov6.InvokeActionEvent) bool) {
		defer end()
		events(yield)
	}
	return stream, nil
}

// ConfigureProvider begins a run of a CLI, which nobody has stopped.
func (s *shortContexts) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	s.mu.Lock()
	s.stopped = false
	s.mu.Unlock()
	return run(ctx, s, req, s.ProviderServer.ConfigureProvider)
}

// StopProvider cancels the calls that run, whether the framework knows of them or
// not, and those to come.
func (s *shortContexts) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	s.mu.Lock()
	s.stopped = true
	for _, cancel := range s.running {
		cancel()
	}
	s.mu.Unlock()
	return s.ProviderServer.StopProvider(ctx, req)
}

// run makes a call with a context that ends with it.
func run[Q, A any](ctx context.Context, s *shortContexts, req Q, call func(context.Context, Q) (A, error)) (A, error) {
	ctx, end := s.begin(ctx)
	defer end()
	return call(ctx, req)
}
