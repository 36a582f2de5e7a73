// Package lists has what all list resources share: how a query is answered.
package lists
