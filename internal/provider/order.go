package provider

import (
	"cmp"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// The order of the lists that data sources show. The service states none but that of
// builds, and a replica may answer in another: a list that changes its order would
// change what is made from it.

// sortedBy is a copy of records, sorted by the first of some keys in which they
// differ. Those that differ in none keep their order.
func sortedBy[R any, K cmp.Ordered](records []R, keys ...func(R) K) []R {
	return slices.SortedStableFunc(slices.Values(records), func(a, b R) int {
		for _, key := range keys {
			if order := cmp.Compare(key(a), key(b)); order != 0 {
				return order
			}
		}
		return 0
	})
}

// newestFirst is a copy of records, sorted by a time. Those without one are last.
func newestFirst[R any](records []R, at func(R) client.Time) []R {
	return slices.SortedStableFunc(slices.Values(records), func(a, b R) int { return at(b).Compare(at(a).Time) })
}
