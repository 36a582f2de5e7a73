package control

import "net/http"

// getDeliveries lists the deliveries of an endpoint, with what its receiver answered.
func (c *control) getDeliveries(r *http.Request) (any, error) {
	list, err := c.Core.Deliveries(r.PathValue("id"))
	return object{"deliveries": list}, err
}

// postTestEvent sends one endpoint an event for trying its receiver out.
func (c *control) postTestEvent(r *http.Request) (any, error) {
	return c.Core.SendTestEvent(r.PathValue("id"))
}
