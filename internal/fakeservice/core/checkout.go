package core

import (
	"context"
	"fmt"
	"slices"
)

// A Checkout is the result of opening a checkout page.
type Checkout struct {
	InstanceID string
	// Finished reports whether this opening finished the checkout.
	Finished bool
}

// CheckoutSummary describes the purchase of a checkout page.
type CheckoutSummary struct {
	InstanceID, Name, Region string
	// Plan has the price that the payment charges each month.
	Plan Plan
	// Pending reports whether the checkout still waits for its payment.
	Pending bool
}

// ReadCheckout returns the summary of a token's checkout, and changes nothing.
func (s *Service) ReadCheckout(ctx context.Context, token string) (CheckoutSummary, error) {
	return look(ctx, s, func(st *state) (CheckoutSummary, error) {
		in, err := st.checkedOut(token)
		if err != nil {
			return CheckoutSummary{}, err
		}
		summary := CheckoutSummary{InstanceID: in.ID, Name: in.Name, Region: in.Region, Pending: in.CheckoutURL != ""}
		if at := slices.IndexFunc(st.Subscriptions, func(s *subscription) bool { return s.InstanceID == in.ID }); at >= 0 {
			summary.Plan = st.Subscriptions[at].Plan
		}
		return summary, nil
	})
}

// checkedOut returns the instance of a checkout's token.
func (st *state) checkedOut(token string) (*instance, error) {
	at := slices.IndexFunc(st.Instances, func(in *instance) bool { return in.Checkout == token })
	if at < 0 || token == "" {
		return nil, notFound("there is no such checkout")
	}
	return st.Instances[at], nil
}

// OpenCheckout finishes the checkout of a token; no money moves.
func (s *Service) OpenCheckout(token string) (Checkout, error) {
	return change(s, func(st *state) (Checkout, error) {
		in, err := st.checkedOut(token)
		if err != nil {
			return Checkout{}, err
		}
		in = st.find(in.ID)
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

// PayCheckout finishes the checkout of an instance, like its Pay button.
func (s *Service) PayCheckout(instanceID string) error {
	err := fmt.Errorf("the instance %q waits for no checkout", instanceID)
	s.store.do(func(st *state) {
		if in := st.find(instanceID); in != nil && st.pay(in) {
			err = nil
		}
	})
	return err
}
