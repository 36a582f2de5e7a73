package portal

import (
	"slices"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// shownAtOnce is the maximum number of mails or requests on a page.
const shownAtOnce = 100

// mailsShown has the newest mails. All is the number of stored ones.
type mailsShown struct {
	Mails []core.Mail
	All   int
}

// showMails lists the mails that the service would have sent.
func showMails(c *call) (*page, error) {
	mails := c.Service.Mails()
	slices.Reverse(mails)
	p := fakePage("Mails", "mails", "/mails")
	p.Data = mailsShown{mails[:min(len(mails), shownAtOnce)], len(mails)}
	return p, nil
}
