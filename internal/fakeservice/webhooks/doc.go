// Package webhooks takes events to the endpoints of customers by HTTP, signed. When that
// happens and how often is core's to say: it keeps the outbox and hands out what is due.
package webhooks
