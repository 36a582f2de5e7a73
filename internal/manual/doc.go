// Package manual holds what is written for people against what is there. Its tests
// run each guide of docs/guides command by command, validate every block of configuration,
// look up every link and the spelling, and hold the list of messages against the
// provider's.
package manual
