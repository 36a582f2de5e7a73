package core

import (
	"fmt"
	"slices"
)

// A Checkout is the result of opening a checkout page.
type Checkout struct {
	InstanceID string
	// Finished reports whether this opening finished the checkout.
	Finished bool
}

// OpenCheckout finishes the checkout of a token; no money moves.
func (s *Service) OpenCheckout(token string) (Checkout, error) {
	return change(s, func(st *state) (Checkout, error) {
		at := slices.IndexFunc(st.Instances, func(in *instance) bool { return in.Checkout == token })
		if at < 0 || token == "" {
			return Checkout{}, notFound("there is no such checkout")
		}
		in := st.find(st.Instances[at].ID)
		return Checkout{in.ID, st.pay(in)}, nil
	})
}

// pay finishes the checkout of an instance. It reports whether one was pending.
func (st *state) pay(in *instance) bool {
	j := st.findJob(in.JobID)
	if in.CheckoutURL == "" || j == nil || j.Status != StatusQueued {
		return false
	}
	in.CheckoutURL = ""
	st.payFor(in.ID)
	st.planChores()
	st.runJob(j)
	return true
}

// checkoutAt returns the address of a checkout page.
func checkoutAt(portal, token string) string { return portal + "/checkout/" + token }

// MoveCheckouts moves the pages of pending checkouts to a new portal address.
func (s *Service) MoveCheckouts(portal string) {
	s.store.do(func(st *state) {
		for _, in := range st.Instances {
			if in.CheckoutURL != "" {
				in.CheckoutURL = checkoutAt(portal, in.Checkout)
				st.touch(in)
			}
		}
	})
}

// PayCheckout finishes the checkout of an instance, like opening its page.
func (s *Service) PayCheckout(instanceID string) error {
	err := fmt.Errorf("the instance %q waits for no checkout", instanceID)
	s.store.do(func(st *state) {
		if in := st.find(instanceID); in != nil && st.pay(in) {
			err = nil
		}
	})
	return err
}
