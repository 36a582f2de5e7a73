// Package properties tests the fake service with random requests that are drawn from the
// API's document.
//
// All of it is tests. TestProperties plays sequences of requests by two accounts, each
// with a fake of its own: requests that fit the document and requests that do not, with
// the right key, a wrong one and none, about what exists, what was deleted and what
// belongs to somebody else. After each request it checks what must hold for any request:
// the answer is one that the document lists, a refusal changes nothing, no account sees
// another, and the faces agree. make properties plays many requests.
package properties
