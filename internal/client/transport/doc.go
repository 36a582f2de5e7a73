// Package transport carries out one HTTP request of the service's API. It knows the
// service's error envelope, but none of its records.
//
// A request goes through one chain (request.go). go-retryablehttp decides by method and
// outcome whether to send it again, the limiter decides when, and an attempt sends it
// once and reads the whole body. A body that is cut off is therefore a failed attempt
// like any other.
//
// The service does not publish its limits, so one limiter for all requests learns them
// from the responses. A 429 halves the number of requests per second, and each other
// response raises it slightly. Refusals at the same time count once. A 429 does not count
// as a retry and does not end a poll. Independent processes then share a limit and use
// nearly all of it. If the service allows no burst at all, they interfere with each other,
// and only a configured rate helps.
//
// The Retry-After of a 429 pauses all requests. That of a 503 pauses only its path,
// because it says nothing about the rate (closed_paths.go). With a timeout, an operation
// waits as long as Retry-After asks; without one, at most ten minutes. A plain read waits
// at most 20 s for a 503 from a gateway, so that a maintenance page ends a plan within
// 30 s.
//
// After an attempt that timed out, later attempts use new connections (connections.go).
// Requests in flight on the old ones continue, because one may create an instance. A
// silent HTTP/2 connection is closed only after a ping fails, so after a laptop has
// slept, the service is soon reached again. While the service does not answer at all, an
// attempt of a plain read may take half of its 20 s, so that a second attempt uses a new
// connection before the read fails.
//
// The header Idempotency-Key is written in lower case. In canonical form, net/http sends
// a POST again by itself when a reused connection breaks, and a service that ignores the
// header would execute it twice.
//
// Secrets are hidden in every log line and error. Responses are parsed before they are
// filtered, so a secret cannot change their meaning.
package transport
