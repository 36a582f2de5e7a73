package core

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The words of records that have a fixed set of values.
var (
	instanceStatuses = []string{StatusCreating, StatusRunning, StatusDeleting, StatusFailed}
	jobStatuses      = []string{StatusQueued, StatusRunning, StatusDone, StatusFailed}
	buildStatuses    = []string{StatusQueued, StatusRunning, StatusSuccessful, StatusFailed}
	appStatuses      = []string{StatusBuilding, StatusRunning, StatusFailed, StatusStopped}
	consoleModes     = []string{"off", "ro", "rw"}
	backupKinds      = []string{"daily", "undo"}
)

// checkWord refuses a value that is not one of the words of a field.
func checkWord(field, value string, words []string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return invalid(field, "%q is not one of %s", value, strings.Join(words, ", "))
}

// checkSetWord is checkWord for a record, in which a test can leave the value empty.
func checkSetWord(field, value string, words []string) error {
	if value == "" {
		return nil
	}
	return checkWord(field, value, words)
}

// JobOperations returns the operations that have jobs.
func JobOperations() (all []string) {
	for _, row := range jobTable {
		if row.operation != "" {
			all = append(all, row.operation)
		}
	}
	return all
}

// CheckOperation refuses an operation that has no jobs.
func CheckOperation(operation string) error {
	return checkWord("operation", operation, JobOperations())
}

// Check refuses a match that no job can have.
func (m JobMatch) Check() error {
	return checkSetWord("operation", m.Operation, JobOperations())
}

// CheckDuration refuses a duration that no job or build can have. "build" stands for
// builds.
func CheckDuration(operation string, length time.Duration) error {
	if length < 0 {
		return invalid("duration", "it is negative")
	}
	if operation == "build" {
		return nil
	}
	return CheckOperation(operation)
}

// CheckSpeed refuses a speed at which the clock cannot run.
func CheckSpeed(speed float64) error {
	if !(speed > 0) || speed > FastestSpeed {
		return fmt.Errorf("the speed must be greater than 0 and at most %d", FastestSpeed)
	}
	return nil
}
