// Package client is the instance hosting service's REST API in Go: types, calls, errors,
// and waiting for jobs and builds. It knows nothing of Terraform. Package transport
// carries out its requests, and package lifetime limits the time of an operation.
//
// # Changes
//
// The service queues each change of an instance as a job, one at a time per instance. The
// client keeps the same queue: Client.Enter returns a Turn, whose methods are the only
// way to change an instance. After Leave they send nothing and return ErrTurnLeft. After
// a 409 because of another client's job, the client waits for the job that the record
// names.
//
// An answer from a gateway or another server proves no outcome. absence.go, jobs.go
// and mutation.go define what proves that an object is gone, that a job is done, or that a
// change was made.
//
// A status from before a restart or a build proves nothing, because a read may lag. If an
// app ran before, "running" must last 15 s; if it had failed, "failed" must last 75 s. A
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
// All waits for a job, a build or a record are one loop (Client.wait). A search for
// something that may not exist has the same pauses (look). If the
// job's record shows its progress, polls become frequent near the expected end (nextPoll).
// No clock of the service is used. Callers that wait for the same job share its polls.
//
// The waits are not a package of their own. If a job is missing, the instance's record
// decides, so such a package would need an interface that only the client implements.
//
// # Builds
//
// No record names the build that is deployed, so each refresh asks for the app's builds.
// An app may have thousands, and a failed build contains its log. Pages are therefore
// read only until the wanted build is found, and the first page has twenty builds.
//
// # Secrets
//
// The client registers each secret that passes through it, and transport hides them in
// every log line and error. A build log is shown only after the app's variables were read
// and hidden in it (logs.go), because a build may print them.
package client
