//go:build !unix

package fakeservice_test

import "time"

var began = time.Now()

// processorTime is the time that has passed, where the system's own count is not read.
func processorTime() time.Duration { return time.Since(began) }
