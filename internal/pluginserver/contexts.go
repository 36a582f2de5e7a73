package pluginserver

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// A ProviderServer is a provider server with everything that the framework serves for
// this provider. The SDK finds support for lists and actions by type assertion.
type ProviderServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
}

// WithShortContexts returns a server that keeps nothing of the context of a call after
// it.
//
// The framework keeps a function that cancels the context of each call until the provider
// is stopped. That keeps the context, too, with the call's request, loggers and stream.
// So each call gets a context that releases the real one when the call is over.
//
// The two calls that answer with a stream keep their contexts, because they continue
// after they have returned.
func WithShortContexts(inner ProviderServer) ProviderServer {
	return &shortContexts{ProviderServer: inner, running: map[*callContext]context.CancelFunc{}}
}

type shortContexts struct {
	ProviderServer

	mu      sync.Mutex
	running map[*callContext]context.CancelFunc
	stopped bool          // and not configured again since, as for the next run of a CLI with -debug
	ended   chan struct{} // closed when the last call has ended; nil unless idle was called
}

// A callContext is the context of one call: the real one while the call runs, and after
// it a cancelled one without values. Derived contexts that outlive the call use the
// callContext, so they release the real one, too.
type callContext struct {
	now atomic.Pointer[context.Context]
}

func (c *callContext) Deadline() (time.Time, bool) { return (*c.now.Load()).Deadline() }
func (c *callContext) Done() <-chan struct{}       { return (*c.now.Load()).Done() }
func (c *callContext) Err() error                  { return (*c.now.Load()).Err() }
func (c *callContext) Value(key any) any           { return (*c.now.Load()).Value(key) }

// over is the context of every call that has ended.
var over = func() *context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return &ctx
}()

// begin returns the context of a call and the function that ends it.
func (s *shortContexts) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	c := &callContext{}
	c.now.Store(&ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[c] = cancel
	if s.stopped {
		cancel() // even a stopped Terraform reads the objects that it has just imported
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

// idle returns a channel that is closed once no call runs. It must be called at most
// once.
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

// InvokeAction passes an action on unchanged. The action counts as running until its
// stream has ended.
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

// ConfigureProvider begins a new run of a CLI, which has not been stopped.
func (s *shortContexts) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	s.mu.Lock()
	s.stopped = false
	s.mu.Unlock()
	return run(ctx, s, req, s.ProviderServer.ConfigureProvider)
}

// StopProvider cancels all running calls, whether or not the framework knows of them, and
// all later calls.
func (s *shortContexts) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	s.mu.Lock()
	s.stopped = true
	for _, cancel := range s.running {
		cancel()
	}
	s.mu.Unlock()
	return s.ProviderServer.StopProvider(ctx, req)
}

// run makes a call with a context that ends when the call returns.
func run[Q, A any](ctx context.Context, s *shortContexts, req Q, call func(context.Context, Q) (A, error)) (A, error) {
	ctx, end := s.begin(ctx)
	defer end()
	return call(ctx, req)
}
