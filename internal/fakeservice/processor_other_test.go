//go:build !unix

package fakeservice_test

import "time"

var began = time.Now()

// processorTime returns the elapsed time, because the processor time is not read on this
// system.
func processorTime() time.Duration { return time.Since(began) }
