package verification

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/chromedp"
)

// visitByBrowser acts like a visitor, who creates an account, signs out and in again, and
// leaves a message.
func (g *Guestbook) visitByBrowser(ctx context.Context, who account, message string) (err error) {
	b, err := openBrowser(ctx, g.Chromium, g.patience())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()

	signedIn := until(fmt.Sprintf("location.pathname === '/' && document.getElementById('who')?.textContent === %q", who.email))
	fill := func(mode string) []act {
		return []act{
			chromedp.Navigate(g.AppURL + "/login"),
			chromedp.WaitVisible(chromedp.CSS("#email")),
			click(fmt.Sprintf("label:has(input[value=%q])", mode)),
			chromedp.SendKeys(chromedp.CSS("#email"), who.email),
			chromedp.SendKeys(chromedp.CSS("#password"), who.password),
		}
	}
	submit := []act{click("#submit"), signedIn}
	shown := until(fmt.Sprintf("[...document.querySelectorAll('#entries .message')].some((m) => m.textContent === %q)", message))

	for _, part := range []struct {
		what    string
		acts    []act
		picture string
		seen    string
	}{
		{
			what: "open the guestbook", picture: "visitor",
			acts: []act{chromedp.Navigate(g.AppURL + "/"), chromedp.WaitVisible(chromedp.CSS("#invite"))},
		},
		{what: "fill in the form", picture: "sign-up", acts: fill("sign-up")},
		{what: "sign up", acts: submit, seen: "signed up as " + who.email},
		{
			what: "sign out", seen: "signed out",
			acts: []act{click("#sign-out"), chromedp.WaitVisible(chromedp.CSS("#sign-in"))},
		},
		{what: "sign in", acts: append(fill("sign-in"), submit...), seen: "signed in as " + who.email},
		{
			what: "write", seen: "posted, and the page shows: " + message, picture: "guestbook",
			acts: []act{
				chromedp.SendKeys(chromedp.CSS("#message"), message),
				click("#compose button"), shown,
				// The message is visible to every visitor, and not only on this page.
				chromedp.Reload(), shown,
			},
		},
	} {
		if err := b.do(part.what, part.acts...); err != nil {
			return err
		}
		if part.seen != "" {
			g.Say("In Chromium: %s", part.seen)
		}
		if part.picture != "" {
			if err := g.photograph(b, part.picture); err != nil {
				return err
			}
		}
	}
	_, err = g.readBook(ctx)
	return err
}
