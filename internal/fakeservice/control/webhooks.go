package control

import "net/http"

// getDeliveries lists the deliveries of an endpoint with its receiver's answers.
func (c *control) getDeliveries(r *http.Request) (any, error) {
	list, err := c.Core.Deliveries(r.PathValue("id"))
	return object{"deliveries": list}, err
}

// postTestEvent sends a test event to one endpoint.
func (c *control) postTestEvent(r *http.Request) (any, error) {
	return c.Core.SendTestEvent(r.PathValue("id"))
}
