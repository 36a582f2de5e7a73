// Package rescue keeps a panic in one operation from ending the whole program: that
// operation fails, and everything else continues.
package rescue

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Error turns a panic into the error of the function that defers it:
//
//	func (p *Plane) Remove(id string) (err error) {
//		defer rescue.Error(p.log, "remove", &err)
func Error(log *slog.Logger, what string, err *error) {
	if cause := recover(); cause != nil {
		tell(log, what, cause)
		*err = fmt.Errorf("%s: a mistake in the fake service: %v", what, cause)
	}
}

// Log is for a goroutine or a callback, which cannot return an error. It must be deferred,
// and only logs the panic.
func Log(log *slog.Logger, what string) {
	if cause := recover(); cause != nil {
		tell(log, what, cause)
	}
}

func tell(log *slog.Logger, what string, cause any) {
	log.Error("a mistake in the fake service", "in", what, "panic", cause, "stack", string(debug.Stack()))
}
