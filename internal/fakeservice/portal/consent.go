package portal

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/oauth"
)

// consentShown is a request of an application for access to the account.
type consentShown struct {
	Name, ClientID string
	// Destination is where the browser goes with the answer. Local is set if that is a
	// program on the visitor's machine.
	Destination string
	Local       bool
}

// fromAnySite serves a page to which other sites may lead. Browsers send the session's
// cookie only from page to page of the portal, so a visitor from elsewhere first gets a
// page that leads on.
func (p *Portal) fromAnySite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if site := r.Header.Get("Sec-Fetch-Site"); site != "cross-site" && site != "same-site" {
			next.ServeHTTP(w, r)
			return
		}
		secured(func(w http.ResponseWriter, r *http.Request) {
			p.write(w, http.StatusOK, &page{Title: "Connect an application", Template: "continue", Data: r.URL.RequestURI()})
		}).ServeHTTP(w, r)
	})
}

// askForConsent shows a valid request of an application.
func askForConsent(c *call) {
	request, ok := c.consentRequest(c.r.URL.Query())
	if !ok {
		return
	}
	to, err := url.Parse(request.RedirectURI())
	if err != nil {
		c.fail(err)
		return
	}
	// A browser applies the policy for forms to the redirect after the form, too. It
	// cannot name every address, such as one of IPv6, but every scheme.
	c.w.Header().Set("Content-Security-Policy", strings.Replace(contentPolicy, "form-action 'self'", "form-action 'self' "+to.Scheme+":", 1))
	allow := &form{ID: "allow", Action: oauth.AuthorizePath, Submit: "Connect", Plain: true, Main: true, Fields: consentFields(request, "allow")}
	deny := &form{ID: "deny", Action: oauth.AuthorizePath, Submit: "Cancel", Plain: true, Fields: consentFields(request, "deny")}
	c.write(http.StatusOK, &page{Title: "Connect an application", Template: "consent", Section: "access", Forms: []*form{allow, deny}, Data: consentShown{
		Name: request.Client.Name, ClientID: request.Client.ID, Destination: strings.TrimSuffix(to.Scheme+"://"+to.Host, "//"), Local: to.Scheme != "https",
	}})
}

// consentFields repeats the parameters of a request in a form.
func consentFields(request oauth.Request, decision string) []*field {
	fields := []*field{{Name: "decision", Kind: hidden, Value: decision}}
	for _, name := range slices.Sorted(maps.Keys(request.Values)) {
		fields = append(fields, &field{Name: name, Kind: hidden, Value: request.Values.Get(name)})
	}
	return fields
}

// answerConsent carries out the visitor's decision, and leads back to the application.
func answerConsent(c *call) {
	request, ok := c.consentRequest(c.r.PostForm)
	if !ok {
		return
	}
	to := request.Deny()
	if c.r.PostForm.Get("decision") == "allow" {
		var err error
		if to, err = request.Allow(); err != nil {
			c.fail(err)
			return
		}
	}
	http.Redirect(c.w, c.r, to, http.StatusSeeOther)
}

// consentRequest checks a request. It answers one that is not valid.
func (c *call) consentRequest(sent url.Values) (request oauth.Request, ok bool) {
	request, err := c.OAuth.Parse(c.r, sent)
	if err == nil {
		return request, true
	}
	if refused := (*oauth.Refusal)(nil); errors.As(err, &refused) && refused.Redirect != "" {
		http.Redirect(c.w, c.r, refused.Redirect, http.StatusSeeOther)
		return request, false
	}
	c.fail(core.Refuse(core.InvalidRequest, "%s", err))
	return request, false
}
