// Package examples tests the files under examples/. Its test applies each file on a fake,
// plans it empty and destroys it, or imports, invokes or queries. It counts the files for
// each way, and fails if a file is not tested in any.
package examples
