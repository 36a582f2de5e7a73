// Package webhooks delivers signed events to the endpoints of customers by HTTP. Package
// core decides when and how often: it keeps the outbox and hands out due deliveries.
package webhooks
