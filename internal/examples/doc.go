// Package examples holds what is under examples/ against the service. Its test applies each
// file on a fake, plans it empty and destroys it, imports, invokes or queries what is for
// that, and counts what it did: a file of which nothing is done fails it.
package examples
