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
//
// # Storage
//
// A change is stored before it is answered, and work begins only after its job is stored.
// If writing fails, the answer is 500 and no work begins; the next write includes
// everything. When a fake starts with records, nothing that is due happens before the
// interrupted work has resumed. Its clock continues from the stored time, or from the
// present if that is later.
//
// An event is put into the outbox of each enabled endpoint by the change that causes it, as
// bytes, so that each attempt sends and signs the same. An attempt begins after it is
// stored: a kill can repeat a delivery, but never lose one or change its id. The receiver's
// ten seconds are real ones, because it is a real program.
//
// A snapshot is a folder with the records and a copy of each machine. It contains nothing
// that names its fake, so another fake can load it.
package core
