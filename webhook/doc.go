// Package webhook verifies what the hosting service delivers to webhook endpoints.
//
// A delivery is a POST with a JSON body, and three headers: the type of the event, the id
// of the delivery, which stays over retries, and the signature of the raw body by the
// endpoint's secret. Nothing of a delivery is to be believed before the signature is
// verified. Then it may still be one that came before: the service tries again whatever it
// has seen no 2xx for within 10 seconds, and whoever has seen a delivery can send it once
// more.
//
// A Receiver is an http.Handler that sees to all of it:
//
//	http.Handle("/hooks", &webhook.Receiver{
//		Secrets: []string{os.Getenv("WEBHOOK_SECRET")},
//		Handle: func(ctx context.Context, d webhook.Delivery) error {
//			log.Printf("%s: %s", d.Event.InstanceID, d.Event.Type)
//			return nil
//		},
//	})
//
// Verify is for those who have an HTTP framework of their own. It needs the body exactly
// as it came: one that was decoded and encoded again has another signature.
//
// The package needs nothing but the standard library.
package webhook
