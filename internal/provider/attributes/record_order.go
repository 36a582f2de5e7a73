package attributes

import (
	"cmp"
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/client"
)

// This file sorts the lists of data sources. The service specifies an order only for
// builds, and a replica may answer in a different one. If a list changed its order, so
// would the resources that are made from it.

// SortedBy returns a copy of records, sorted by the first of some keys in which they
// differ. Records with equal keys keep their order.
func SortedBy[R any, K cmp.Ordered](records []R, keys ...func(R) K) []R {
	return slices.SortedStableFunc(slices.Values(records), func(a, b R) int {
		for _, key := range keys {
			if order := cmp.Compare(key(a), key(b)); order != 0 {
				return order
			}
		}
		return 0
	})
}

// NewestFirst returns a copy of records, sorted by time. Records without a time are last.
func NewestFirst[R any](records []R, at func(R) client.Time) []R {
	return slices.SortedStableFunc(slices.Values(records), func(a, b R) int { return at(b).Compare(at(a).Time) })
}
