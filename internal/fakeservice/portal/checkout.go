package portal

import (
	"net/http"
)

// serveCheckout is the page that a paid plan waits for. Opening it finishes
// the checkout; no money moves.
func (p *Portal) serveCheckout() http.HandlerFunc {
	type checkout struct {
		Text, Instance string
		Finished       bool
	}
	return func(w http.ResponseWriter, r *http.Request) {
		shown := &page{Title: "There is no such checkout", Template: "checkout"}
		data, status := checkout{Text: "It was cancelled, or the address is not whole."}, http.StatusNotFound
		if opened, err := p.Service.OpenCheckout(r.PathValue("token")); err == nil {
			status, data.Instance, data.Finished = http.StatusOK, opened.InstanceID, opened.Finished
			shown.Title, data.Text = "This checkout is finished", "There is nothing left to do here."
			if opened.Finished {
				shown.Title = "Thank you"
				data.Text = "The checkout is finished and the instance is being created. This is a fake: nothing was charged."
			}
		}
		shown.Data = data
		p.write(w, status, shown)
	}
}
