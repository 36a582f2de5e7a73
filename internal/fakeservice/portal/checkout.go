package portal

import "net/http"

// checkoutShown is the result of opening a checkout. Instance is "" if there is none.
type checkoutShown struct{ Text, Instance string }

// serveCheckout serves the checkout page of a paid plan. Only opening the page finishes
// the checkout; a request for its headers does not. No money moves.
func (p *Portal) serveCheckout(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "a checkout is a page to open", http.StatusMethodNotAllowed)
		return
	}
	opened, err := p.Service.OpenCheckout(r.PathValue("token"))
	switch {
	case err != nil:
		p.showCheckout(w, http.StatusNotFound, "There is no such checkout", checkoutShown{Text: "It was cancelled, or the address is not whole."})
	case opened.Finished:
		p.showCheckout(w, http.StatusOK, "Thank you", checkoutShown{
			"The checkout is finished and the instance is being created. This is a fake: nothing was charged.", opened.InstanceID,
		})
	default:
		p.showCheckout(w, http.StatusOK, "This checkout is finished", checkoutShown{"There is nothing left to do here.", opened.InstanceID})
	}
}

func (p *Portal) showCheckout(w http.ResponseWriter, status int, title string, shown checkoutShown) {
	p.write(w, status, &page{Title: title, Template: "checkout", Data: shown})
}
