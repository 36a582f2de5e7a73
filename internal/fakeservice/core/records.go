package core

import "time"

// records is the whole state of the service as data. It can be stored, and a fake that
// reads it again continues from there.
type records struct {
	// Edition is the edition of the stored records.
	Edition int
	// Now is the fake's time. While settle runs an event that is due, Now is the time at
	// which the event was due. So records show when something happened and not when a
	// request found it.
	Now time.Time

	Catalog   Catalog
	Account   Account
	Instances []*instance // in order of creation
	Webhooks  []*Webhook
	Events    []*eventRecord
	// Deliveries has the deliveries of the existing endpoints, in order: those that are
	// pending, and the last ones that have ended.
	Deliveries []*delivery
	Mails      []*mail
	// Subscriptions and Charges are the account's, in order.
	Subscriptions []*subscription
	Charges       []*charge
	Jobs          []*job // in order of creation; of the ended ones, only the newest
	Builds        []*buildRun
	Durations     durations
	Pushes        map[string]int // commits per repository and branch
	Answers       []*Answer
	Keys          []*Key
	// KeysMade reports that the first key was made, so that it was revoked if it is
	// missing.
	KeysMade bool
	// Clients has the registered applications, and Grants the connected ones, in order.
	Clients []*OAuthClient
	Grants  []*grant
	// Credentials has the credentials of the fake itself, by name.
	Credentials map[string]string

	// Begun reports that the service has its initial contents; see Service.Begin.
	Begun bool
	// Sequence is the number of the last record that was added.
	Sequence  int
	NextChore time.Time
}

func (r *records) next() int {
	r.Sequence++
	return r.Sequence
}

func newRecords(now time.Time) records {
	r := records{Edition: edition, Now: now, Catalog: seedCatalog(), Account: newAccount(), Durations: defaultDurations()}
	r.makeMaps()
	return r
}

// makeMaps makes the maps that are missing, which a record that another program wrote may
// lack. Later changes add to them.
func (r *records) makeMaps() {
	makeMap(&r.Pushes)
	makeMap(&r.Credentials)
	makeMap(&r.Durations.Jobs)
	makeMap(&r.Catalog.Engines)
	for _, in := range r.Instances {
		if in != nil {
			makeMap(&in.Engines)
		}
	}
}

func makeMap[K comparable, V any](m *map[K]V) {
	if *m == nil {
		*m = map[K]V{}
	}
}
