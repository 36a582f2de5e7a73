// Package webhook verifies the deliveries of the hosting service to webhook endpoints.
//
// A delivery is a POST request with a JSON body and three headers: the event's type, the
// delivery's id, and the signature of the raw body with the endpoint's secret. Do not
// trust a delivery before its signature is verified. Even a verified delivery may be a
// repeated one: the service retries a delivery that got no 2xx within 10 seconds. An
// attacker who has seen a delivery can send it again, too. Events do not always arrive in
// their order: one that is repeated comes after newer ones. Compare Event.At with the newest
// one, or read the record that the event is about.
//
// A Receiver is an http.Handler that verifies deliveries and handles each of them once:
//
//	http.Handle("/hooks", &webhook.Receiver{
//		Secrets: []string{os.Getenv("WEBHOOK_SECRET")},
//		Handle: func(ctx context.Context, d webhook.Delivery) error {
//			log.Printf("%s: %s", d.Event.InstanceID, d.Event.Type)
//			return nil
//		},
//	})
//
// Use Verify with another HTTP framework. It needs the raw body, because decoding and
// encoding it again changes the signature.
//
// The package uses only the standard library.
package webhook
