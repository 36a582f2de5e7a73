package provider

import (
	"context"
	"reflect"
	"sync"
)

// A call of the provider may be looked at twice: by its shortcut, and where that is
// not certain by the framework. What the first has asked the service for, the second
// is not to ask for again.

type answersKey struct{}

// answers are those that one call has got, by their types.
type answers struct {
	mu  sync.Mutex
	got map[reflect.Type]any
}

type answer[T any] struct {
	value T
	err   error
}

// withAnswers is the context of a call that asks once.
func withAnswers(ctx context.Context) context.Context {
	return context.WithValue(ctx, answersKey{}, &answers{got: map[reflect.Type]any{}})
}

// once asks the service for the one T of a call, unless the call has asked for it
// already. An error is an answer.
func once[T any](ctx context.Context, ask func() (T, error)) (T, error) {
	all, ok := ctx.Value(answersKey{}).(*answers)
	if !ok {
		return ask()
	}
	key := reflect.TypeFor[T]()
	all.mu.Lock()
	before, asked := all.got[key].(answer[T])
	all.mu.Unlock()
	if asked {
		return before.value, before.err
	}
	value, err := ask()
	all.mu.Lock()
	defer all.mu.Unlock()
	all.got[key] = answer[T]{value, err}
	return value, err
}
