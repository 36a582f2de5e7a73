package portal

import (
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// checkoutShown is the data of a checkout page. Instance is "" if there is none. Summary is
// set while the checkout waits for its payment.
type checkoutShown struct {
	Text, Instance string
	Summary        *core.CheckoutSummary
}

// serveCheckout serves the checkout page of a paid plan. A browser shows what is bought, and
// the Pay button finishes the checkout. A program that opens the address without asking for
// HTML finishes it at once: the service's document says that opening it is enough. A request
// for the headers finishes nothing. No money moves.
func (p *Portal) serveCheckout(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		if wantsHTML(r) {
			p.showSummary(w, r)
			return
		}
	case http.MethodPost:
	default:
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "a checkout is a page to open", http.StatusMethodNotAllowed)
		return
	}
	opened, err := p.Service.OpenCheckout(r.PathValue("token"))
	switch {
	case err != nil:
		p.showNoCheckout(w)
	case opened.Finished:
		p.showCheckout(w, http.StatusOK, "Thank you", checkoutShown{
			Text: "The checkout is finished and the instance is being created. This is a fake: nothing was charged.", Instance: opened.InstanceID,
		})
	default:
		p.showFinished(w, opened.InstanceID)
	}
}

// showSummary shows what is bought before it is paid. It changes nothing.
func (p *Portal) showSummary(w http.ResponseWriter, r *http.Request) {
	summary, err := p.Service.ReadCheckout(r.Context(), r.PathValue("token"))
	switch {
	case err != nil:
		p.showNoCheckout(w)
	case !summary.Pending:
		p.showFinished(w, summary.InstanceID)
	default:
		// The address is the secret of the checkout, and pages of other sites cannot send
		// forms here. There is no session to bind the form to.
		pay := &form{ID: "pay", Action: r.URL.EscapedPath(), Submit: "Pay " + money(summary.Plan.PriceCents, summary.Plan.Currency)}
		p.write(w, http.StatusOK, &page{Title: "Checkout of " + summary.Name, Template: "checkout", Data: checkoutShown{Summary: &summary}, Forms: []*form{pay}})
	}
}

func (p *Portal) showNoCheckout(w http.ResponseWriter) {
	p.showCheckout(w, http.StatusNotFound, "There is no such checkout", checkoutShown{Text: "It was cancelled, or the address is not complete."})
}

func (p *Portal) showFinished(w http.ResponseWriter, instance string) {
	p.showCheckout(w, http.StatusOK, "This checkout is finished", checkoutShown{Text: "There is nothing left to do here.", Instance: instance})
}

func (p *Portal) showCheckout(w http.ResponseWriter, status int, title string, shown checkoutShown) {
	p.write(w, status, &page{Title: title, Template: "checkout", Data: shown})
}
