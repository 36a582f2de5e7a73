// Package actions has what all actions share: an action starts one operation of an
// instance, waits for its job and reports progress.
package actions
