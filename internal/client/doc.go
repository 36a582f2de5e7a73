// Package client is the instance hosting service's REST API in Go: types, calls, errors,
// and waiting for jobs and builds. It knows nothing of Terraform.
//
// # Requests
//
// A request goes through one chain (request.go). go-retryablehttp decides by method and
// outcome whether to send it again, the limiter decides when, and an attempt sends it
// once and reads the whole body. A body that is cut off is therefore a failed attempt
// like any other.
//
// The service does not publish its limits, so one limiter for all requests learns them
// from the responses. A 429 halves the number of requests in flight, and each other
// response raises it slightly. Refusals at the same time count once. A 429 does not count
// as a retry and does not end a poll. After the first 429 the client also learns a rate
// (allowance.go): slightly below the refused one, then gradually more, as CUBIC does for
// TCP. Independent processes then share a limit and use nearly all of it. If the service
// allows no burst at all, they interfere with each other, and only a configured rate
// helps.
//
// The Retry-After of a 429 pauses the whole client. That of a 503 pauses only its path,
// because it says nothing about the rate (closed_paths.go). With a timeout, an operation
// waits as long as Retry-After asks; without one, at most ten minutes. A plain read waits
// at most 20 s for a 503 from a gateway, so that a maintenance page ends a plan within
// 30 s.
//
// After an attempt that timed out, later attempts use new connections (connections.go).
// Requests in flight on the old ones continue, because one may create an instance. A
// silent HTTP/2 connection is closed only after a ping fails, so after a laptop has
// slept, the client soon reaches the service again. While the service does not answer at
// all, an attempt of a plain read may take half of its 20 s, so that a second attempt
// uses a new connection before the read fails.
//
// The header Idempotency-Key is written in lower case. In canonical form, net/http sends
// a POST again by itself when a reused connection breaks, and a service that ignores the
// header would execute it twice.
//
// # Changes
//
// The service queues each change of an instance as a job, one at a time per instance. The
// client keeps the same queue: Client.Enter returns a Turn, whose methods are the only
// way to change an instance. After Leave they send nothing and return ErrTurnLeft. After
// a 409 because of another client's job, the client waits for the job that the record
// names.
//
// An answer from a gateway or another server proves no outcome. absence.go, jobs.go,
// mutation.go and evidence.go define what proves that an object is gone, that a job is
// done, or that a change was made.
//
// A status from before a restart or a build proves nothing, because a read may lag. If an
// app ran before, "running" must last 10 s; if it had failed, "failed" must last 70 s. A
// different status in between ends this wait.
//
// # Reads
//
// Equal concurrent reads are one request (shared). The answer is kept for at most half a
// minute, and plans and locations for the life of the process. No lock is held during a
// read, and no single caller's cancellation ends one. From the third instance on, a
// refresh reads the list instead of each record. A change of an instance drops its cached
// answers.
//
// # Waiting
//
// All waits are one loop (Client.wait). Polls become frequent near the expected end
// (NextPoll); package waitbench measures how late a wait notices the end. The expected
// end comes from the service's progress, or from a table of usual durations. No clock of
// the service is used. Callers that wait for the same job share its polls.
//
// # Builds
//
// No record names the build that is deployed, so each refresh asks for the app's builds.
// An app may have thousands, and a failed build contains its log. Pages are therefore
// read only until the wanted build is found, and the first page has twenty builds.
//
// # Secrets
//
// The client remembers each secret that passes through it, and hides it in every log line
// and error. Responses are parsed before they are filtered, so a secret cannot change
// their meaning. A build log is shown only after the app's variables were read and hidden
// in it (logs.go), because a build may print them.
package client
