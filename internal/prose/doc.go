// Package prose checks the language of the documents, the provider's messages and the Go
// comments with Vale. .vale.ini has the rules of each kind of file.
package prose
