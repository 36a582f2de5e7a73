package verification

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A person with only a keyboard signs in, creates an instance and deploys an app. Each
// element on the way shows that it has the focus.
func TestKeyboardOnly(t *testing.T) {
	t.Parallel()
	p := comeToPortal(t)
	account := must.Get(p.s.Account(t.Context()))(t)
	p.does("sign in", p.open("/portal/sign-in"), arrives("/portal/sign-in"),
		tabTo("#sign-in-email"), press(account.Email), tabTo("#sign-in-password"), press(p.s.PortalPassword()), press(kb.Enter), arrives("/portal/instances"))
	p.does("skip to the content", tabTo(".skip"), press(kb.Enter), until("document.activeElement.id === 'main'"))
	p.does("start an instance", tabTo("main a[href='/portal/instances/new']"), press(kb.Enter), arrives("/portal/instances/new"))
	p.does("name it", tabTo("#create-name"), press("shop"))
	p.does("compare the plans", tabTo("#create-plan"), press(kb.ArrowDown), says("9.00 EUR a month. "), press(kb.ArrowUp), says("Free. "))
	p.does("choose apps", tabTo("#create-engines-apps"), press(" "), until("document.activeElement.checked"))
	p.does("go back to postgres", shiftTabTo("#create-engines-postgres"), press(" "), until("document.activeElement.checked"))
	p.does("create the instance", tabTo("#create button"), press(" "), says("The instance is being created"))

	instances := p.s.Instances()
	if len(instances) != 1 || instances[0].Plan != "free" || len(instances[0].Engines) != 2 {
		t.Fatalf("instances: got %+v, want one on the plan free with two engines", instances)
	}
	page := "/portal/instances/" + instances[0].ID
	p.s.Advance(10 * time.Minute)
	p.does("see it run", arrives(page), until("document.querySelector('.head .badge').textContent === 'running'"))

	p.does("open its apps", tabTo(".tabs a[href$='/apps']"), press(kb.Enter), arrives(page+"/apps"))
	p.does("import an app", tabTo("#import-repo"), press("acme/shop"), tabTo("#import-name"), press("web"),
		tabTo("#import button"), press(kb.Enter), says("The app web is being imported"), arrives(page+"/apps"))
	p.s.Advance(10 * time.Minute)
	p.does("open the app", until(`document.querySelector("main a[href$='/apps/web']") !== null`), tabTo("main a[href$='/apps/web']"), press(kb.Enter), arrives(page+"/apps/web"))
	p.does("see it deployed", until("document.querySelector('#app-title + * .badge').textContent === 'running'"))
}

// arrives waits until the page of a path and its style are loaded.
func arrives(path string) act {
	return until(fmt.Sprintf("location.pathname === %q && document.readyState === 'complete'", path))
}

// press presses keys, wherever the focus is.
func press(keys string) act { return chromedp.KeyEvent(keys) }

// tabTo presses Tab until the element that a selector finds has the focus.
func tabTo(selector string) act { return repeat(press(kb.Tab), selector) }

// shiftTabTo is like tabTo, backwards.
func shiftTabTo(selector string) act {
	return repeat(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift)), selector)
}

// stop is an element that has the focus.
type stop struct {
	Element string
	// Wanted is whether the selector finds it.
	Wanted bool
	// Shown is whether the element has an outline. The body needs none: it is the stop after
	// the last element.
	Shown bool
}

// repeat presses a key up to 150 times, until the element that a selector finds has the
// focus. It fails at an element that does not show its focus.
func repeat(key act, selector string) act {
	look := chromedp.Evaluate[stop](fmt.Sprintf(`((one) => {
		const style = getComputedStyle(one);
		return {
			Element: one.cloneNode().outerHTML,
			Wanted: one.matches(%q),
			Shown: one === document.body || style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
		};
	})(document.activeElement)`, selector))
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		var focused []string
		for range 150 {
			if _, err := key(ctx, target); err != nil {
				return chromedp.Void{}, err
			}
			at, err := look(ctx, target)
			if err != nil {
				return chromedp.Void{}, err
			}
			focused = append(focused, at.Element)
			switch {
			case !at.Shown:
				return chromedp.Void{}, fmt.Errorf("no visible focus on %s", at.Element)
			case at.Wanted:
				return chromedp.Void{}, nil
			}
		}
		return chromedp.Void{}, fmt.Errorf("keys do not reach %s; focused were:\n%s", selector, strings.Join(focused, "\n"))
	}
}
