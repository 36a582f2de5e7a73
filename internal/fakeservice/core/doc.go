// Package core is what the hosting service is: its records, rules, jobs, clock and
// events, as typed operations without HTTP.
//
// An operation is a method of Service. It looks at the state or changes it while it
// alone does (operation.go), and returns a record, which is what every face shows, or a
// Problem, which is a refusal as the contract knows it. A rule is written once, here.
//
// All that the service knows is data (records.go). It is written down before it is
// answered (storage.go), and a service that starts with it goes on (resume.go).
//
// A mutation of an instance is a job (jobs.go). Its kind holds what was asked for, and its
// jobSpec says what that does: to the records when the job begins and when it ends, and
// for real in between (work.go). What
// runs for real is the DataPlane's. It asks how a machine is to be when its turn at the
// machine has come, and is told what the record says and what the job in progress makes
// of it, so that two who work on one machine never work on two versions of it.
//
// Time is the fake's clock: what is due happens in order, at its own time, before
// anybody looks (store.go). Reads can be of a moment that is past (past.go).
package core
