// Package account has the data sources of the account and its bill, and the resource of
// its profile.
package account
