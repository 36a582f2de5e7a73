// Package properties tests the fake service with random requests from the API document.
//
// It consists only of tests. TestProperties plays sequences of requests of two accounts,
// each with its own fake. Some requests fit the document and some do not. They have a
// valid key, an invalid one or none. They are about existing objects, deleted ones and
// those of the other account. After each request, TestProperties checks rules for every
// request: the document lists the answer, a refusal changes nothing, no account sees the
// other, and the interfaces agree. make properties plays many requests.
package properties
