package verification

import (
	"testing"

	"github.com/chromedp/chromedp"
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
