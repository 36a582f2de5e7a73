// Package simulation makes worlds in which the provider has to hold: a CLI that
// drives it over its protocol, the fake service on fake time, and a network, a
// service and people between them that are not polite. A world is played in a
// bubble of testing/synctest, where days of service time take milliseconds of
// CPU, and follows from its scenario alone.
//
// Nearly all of it is tests. TestSim draws scenarios by their seeds and plays them;
// make sim runs many. What is found is minimised and printed as a scenario that
// anybody can play again by its seed.
package simulation
