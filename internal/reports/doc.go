// Package reports plays situations that users of other projects reported in public. Each is a
// file named after its kind, with the report's source, plain configurations, a few lines
// about the behaviour of the service, and what must be true afterwards.
//
// On each change they run on a simulated CLI (package hclcli) in a bubble of
// testing/synctest, where hours of waiting take milliseconds. With -reports.cli they run on a
// real CLI, with the built provider and the fake behind a listener. make reports prints a line
// for each.
//
// To add one:
//
//  1. Take a report whose kind is not in README.md, and describe its kind in a few words.
//  2. Write kind_test.go with report(t, source, kind, situations{...}).
//  3. Let the service behave so with traits (service_test.go), and apply plain HCL.
//  4. See it fail, or break the provider and see it fail then.
//  5. Add a line to README.md, also if the report does not apply here.
package reports
