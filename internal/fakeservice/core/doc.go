// Package core implements the hosting service without HTTP: its records, rules, jobs,
// clock and events, as typed operations.
//
// An operation is a method of Service. It reads or changes the state with exclusive
// access (operation.go). It returns a record, which every interface shows, or a Problem,
// which is a refusal with one of the codes in SERVICE.md#errors. Every rule is
// implemented once, here.
//
// The whole state is data (records.go). It is stored before a change is answered
// (storage.go), and a service that starts with it resumes its work (resume.go).
//
// A mutation of an instance is a job (jobs.go). The job's kind contains the request. Its
// jobSpec defines what the job does to the records when it begins and when it ends, and
// what real work it does in between (work.go). The DataPlane does the real work. When a
// call's turn at a machine has come, the DataPlane asks for the desired machine: the
// record, with the changes of the job in progress. So concurrent calls about one machine
// never work on two versions of it.
//
// An instance has one name per layer. instance is what core stores: the data of an
// Instance, which tests can edit, and what only core needs. InstanceRecord is what the
// API shows. DesiredMachine is what the data plane is asked for. In package dataplane,
// machine is what runs, and keptMachine is its record for the next run.
//
// Every time is a time of the fake's clock. Jobs, builds and deliveries that are due
// happen in order, each at its own time, before an operation sees the state (store.go). A
// read can show the state of an earlier moment (past.go).
//
// # Storage
//
// A change is stored before it is answered, and work begins only after its job is stored.
// If writing fails, the answer is 500 and no work begins; the next write includes
// everything. When a fake starts with records, nothing that is due happens before the
// interrupted work has resumed. Its clock continues from the stored time, or from the
// present if that is later.
//
// An event is put into the outbox of each enabled endpoint by the change that causes it,
// as bytes, so that each attempt sends and signs the same. An attempt begins after it is
// stored: a kill can repeat a delivery, but never lose one or change its id. The
// receiver's ten seconds are real ones, because it is a real program.
//
// A snapshot is a folder with the records and a copy of each machine. It contains nothing
// that names its fake, so another fake can load it.
package core
