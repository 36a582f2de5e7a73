package core

import "time"

// records are everything that the service knows, as data: they can be written down, and
// a fake goes on with what was read back.
type records struct {
	// Edition is that of the records that are written down.
	Edition int
	// Now is the fake's time. While what is due is being settled, it is the
	// moment at which that was due, so that records show when things really
	// happened and not when somebody looked.
	Now time.Time

	Catalog   Catalog
	Account   Account
	Instances []*instance // in order of creation
	Webhooks  []*Webhook
	Events    []*eventRecord
	// Deliveries are of the endpoints that there are, in order: those that are pending,
	// and the last ones that have ended.
	Deliveries []*delivery
	Mails      []*mail
	// Subscriptions and Charges are what the account pays for and has paid, in order.
	Subscriptions []*subscription
	Charges       []*charge
	Jobs          []*job // in order of creation; of those that have ended, the newest
	Builds        []*buildRun
	Durations     durations
	Pushes        map[string]int // commits per repository and branch
	Answers       []*Answer
	Keys          []*Key
	// KeysMade tells that there was a key before, so that one that is missing was revoked.
	KeysMade bool
	// Credentials are those by which the fake itself is reached, by name.
	Credentials map[string]string

	// Begun tells that the service has begun with what it is to begin with.
	Begun bool
	// Sequence numbers what is added, in order.
	Sequence  int
	NextChore time.Time
}

func (r *records) next() int {
	r.Sequence++
	return r.Sequence
}

func newRecords(now time.Time) records {
	return records{Edition: edition, Now: now, Catalog: seedCatalog(), Account: newAccount(), Durations: defaultDurations(), Pushes: map[string]int{}, Credentials: map[string]string{}}
}
