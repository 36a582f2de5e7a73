package verification

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
)

// Logs wrap and can be copied, and the tab of each page is in view on a phone.
func TestPortalIsUsableOnAPhone(t *testing.T) {
	t.Parallel()
	p, paths := furnished(t)
	p.does("hold a phone", phone.emulate()...)
	p.does("open an app with a failed build", p.open("/portal/instances/i-shop/apps/web"), says("Why the newest build failed"))
	p.does("see logs that wrap", until(`(() => {
		const log = document.querySelector("#failed-build-log");
		log.textContent = "word ".repeat(200) + "x".repeat(500);
		return log.scrollWidth <= log.clientWidth;
	})()`))
	p.does("copy a log", until("(navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }) !== null"),
		click("[data-copy=failed-build-log]"), until("window.copied === document.querySelector('#failed-build-log').textContent"), says("Copied"))
	for _, path := range paths {
		p.does("open "+path, p.open(path), until("document.readyState === 'complete'"))
		inView, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`[...document.querySelectorAll(".tabs [aria-current]")].every((tab) => {
			const box = tab.getBoundingClientRect();
			return box.left >= 0 && box.right <= innerWidth;
		})`))
		if err != nil || !inView {
			t.Errorf("the active tab of %s: got one outside of the phone's screen, want it in view: %v", path, err)
		}
	}
}

// The price and the sum of the memory follow the choices of a plan and of engines.
func TestMemoryIsAddedUpInABrowser(t *testing.T) {
	t.Parallel()
	p := comeToPortal(t)
	p.s.AddInstance(fakeservice.Instance{ID: "i-shop", Name: "shop", Plan: "small", Engines: map[string]*fakeservice.Engine{"postgres": {MemoryMB: 1024}}})
	p.signsIn()
	p.does("choose a plan and an engine", p.open("/portal/instances/new"), says("Free. The engines need 0 of 1536 MB."),
		until("document.readyState === 'complete'"), click("#create-engines-postgres"), until(`/^Free. The engines need [1-9]\d* of 1536 MB.$/.test(document.querySelector("[data-sum]").textContent)`),
		typing("create-plan", "Small"), until(`document.querySelector("[data-sum]").textContent.startsWith("9.00 EUR a month.")`))
	p.does("type a budget", p.open("/portal/instances/i-shop/engines"), until("document.readyState === 'complete'"), typing("engines-engines-postgres-memory_mb", "1"),
		says("The engines need 11024 of 2048 MB."), until(`document.querySelector("[data-sum]").classList.contains("problem")`))
}

// A double click sends a form once. A page that the browser shows again from its memory can
// send it again.
func TestDoubleClickInABrowser(t *testing.T) {
	t.Parallel()
	p := comeToPortal(t)
	p.signsIn()
	p.does("open the form", p.open("/portal/access"), until("document.readyState === 'complete'"), typing("key-name", "laptop"))
	// The page's own listener runs first. This one counts the forms that it lets pass.
	p.does("click twice", until(`(() => {
		let sent = 0;
		document.addEventListener("submit", (event) => { sent += event.defaultPrevented ? 0 : 1; event.preventDefault(); });
		const button = document.querySelector("#key button[type=submit]");
		button.click();
		button.click();
		const once = sent;
		window.dispatchEvent(new PageTransitionEvent("pageshow"));
		button.click();
		return once === 1 && sent === 2;
	})()`))
}

// Keys reach every control of each page and show the focus. Ctrl-Enter runs a statement, and
// a destructive form is reached and opened by keys alone.
func TestPortalByKeyboard(t *testing.T) {
	t.Parallel()
	p, paths := furnished(t)
	for _, path := range paths {
		p.does("open "+path, p.open(path), until("document.readyState === 'complete'"))
		unreached, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`[...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
			.filter((one) => one.type !== "hidden" && one.checkVisibility())
			.filter((one) => {
				one.focus({ focusVisible: true });
				return one.tabIndex < 0 || document.activeElement !== one || getComputedStyle(one).outlineStyle === "none";
			}).map((one) => one.outerHTML)`))
		if err != nil || len(unreached) > 0 {
			t.Errorf("%s: controls that keys do not reach, or without a visible focus: got %v (%v), want none", path, unreached, err)
		}
	}
	p.does("run a statement", p.open("/portal/instances/i-shop/console"), until("document.readyState === 'complete'"),
		typing("query-sql", "SELECT 1"), chromedp.KeyEvent(kb.Enter, chromedp.KeyModifiers(chromedp.ModifierCtrl)), says("Hello, world"))
	p.does("open a question", p.open("/portal/instances/i-shop/settings"), until("document.readyState === 'complete'"),
		until(`(document.querySelector("#resize button").focus(), true)`), chromedp.KeyEvent(kb.Tab),
		until(`document.activeElement.matches("#ask-rotate > summary:focus-visible") && getComputedStyle(document.activeElement).outlineStyle === "solid"`),
		chromedp.KeyEvent(kb.Enter), until(`document.querySelector("#ask-rotate").open`), chromedp.KeyEvent(kb.Tab),
		until(`document.activeElement.matches("#rotate button")`))
}
