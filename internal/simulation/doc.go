// Package simulation plays worlds in which the provider must keep its promises. A CLI
// drives the provider over its protocol, the fake service runs on fake time, and the
// network, the service and people between them misbehave. A world runs in a bubble of
// testing/synctest, where days of service time take milliseconds of CPU. It depends only on
// its scenario.
//
// Nearly all of the package is tests. TestSim draws scenarios by their seeds and plays
// them; make sim runs many. A failing scenario is minimised, printed, and can be replayed
// by its seed.
//
// The simulated CLI validates, refreshes, plans and applies in the order of references. It
// plans again with values that have become known, checks results against the plan, taints
// failed creations, and keeps its state in JSON. Each plan and each apply has its own
// provider process. Package transcript records the calls of real CLIs, and a test compares
// the two call by call.
//
// The checks (checks_test.go) know the truth from the service's side, before the network:
// the objects that each call created, the end of each job, the statements that ran. They
// therefore also apply to unforeseen scenarios. porcupine checks the history of each
// instance for linearizability.
//
// TestStories plays fixed scenarios and compares all that happens in them with
// testdata/stories. The checks know what must never happen; the stories say what does. One
// of them, life.txt, is undisturbed and told in full. The others only name what also
// happens in its steps, which its title names.
//
// A world repeats exactly: all randomness is the scenario's, each request has its own
// latency, and ids are normalised in the log. The world has no connections; tests over a
// network in memory cover those (client/transport/connections_test.go).
package simulation
