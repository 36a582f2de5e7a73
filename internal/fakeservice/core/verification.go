package core

import (
	"context"
	"fmt"
	"slices"
)

// Finding is a reason that the verification of an instance failed. Either Engine or App is
// set.
type Finding struct{ Engine, App, Reason string }

// record returns the finding as an event shows it.
func (f Finding) record() map[string]any {
	if f.App != "" {
		return map[string]any{"app": f.App, "reason": f.Reason}
	}
	return map[string]any{"engine": f.Engine, "reason": f.Reason}
}

// UnhealthyStatus is the reason of a Finding about an app. status is the status of its
// health path, or 0 without an answer.
func UnhealthyStatus(status int) string {
	if status == 0 {
		return "the health path does not answer"
	}
	return fmt.Sprintf("the health path answers %d", status)
}

// findings checks the records of an instance whose apps are only records.
func (in *instance) findings() (found []Finding) {
	for _, a := range in.Apps {
		if why := a.Failure; a.Deployed && why != nil {
			reason := UnhealthyStatus(why.Status)
			if why.Exited {
				reason = "the app has ended"
			}
			found = append(found, Finding{App: a.Name, Reason: reason})
		}
	}
	return found
}

// verify checks a running instance and emits the result.
func (st *state) verify(in *instance) {
	if in.Status != StatusRunning {
		return
	}
	if st.plane == nil {
		st.verified(in, in.findings())
		return
	}
	if in.verifying {
		in.verifyAgain = true
		return
	}
	in.verifying = true
	id := in.ID
	var found []Finding
	st.runInBackground(func(ctx context.Context) (err error) {
		found, err = st.plane.Verify(ctx, id)
		return err
	}, func(err error) {
		again := in.verifyAgain
		in.verifying, in.verifyAgain = false, false
		switch {
		case st.find(in.ID) != in || in.Status != StatusRunning:
			return
		case err != nil:
			st.log.Warn("a verification could not be made", "instance", in.ID, "error", err)
		default:
			st.verified(in, found)
		}
		if again {
			st.verify(in)
		}
	})
}

// verified stores the result of a verification, which is part of the health.
func (st *state) verified(in *instance, found []Finding) {
	st.touch(in)
	in.Findings = found
	if len(found) == 0 {
		st.emit("verify_ok", in.ID, map[string]any{})
	} else {
		failed := make([]any, len(found))
		for i, f := range found {
			failed[i] = f.record()
		}
		st.emit("verify_failed", in.ID, map[string]any{"failed": failed})
	}
	st.noteHealth(in)
}

// settled is called when a deployed app runs or has failed. A deployment is verified, and
// so is any change after a failed verification.
func (st *state) settled(in *instance, a *app) {
	st.noteHealth(in)
	if a.Deploying || len(in.Findings) > 0 {
		a.Deploying = false
		st.verify(in)
	}
}

// healthy reports whether the instance runs, with all its deployed apps, and has passed its
// last verification.
func (in *instance) healthy() bool {
	return in.Status == StatusRunning && len(in.Findings) == 0 &&
		!slices.ContainsFunc(in.Apps, func(a *app) bool { return a.Deployed && a.Status == StatusFailed })
}
