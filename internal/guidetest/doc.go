// Package guidetest checks the documentation against the program. Its tests run each guide of
// docs/guides command by command, validate every block of configuration, follow every link,
// and compare the list of messages with the provider's.
package guidetest
