package verification

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// A live page announces its changes to screen readers, and does not move a log that is
// being read. It says so when it is no longer live.
func TestLivePartsInABrowser(t *testing.T) {
	t.Parallel()
	p := comeToPortal(t)
	in := p.s.AddInstance(fakeservice.Instance{Name: "shop"})
	p.signsIn()
	p.does("open the instance", p.open("/portal/instances/"+in.ID), until("(window.heard = document.getElementById('news')).textContent === ''"))
	release := p.s.HoldJobs(fakeservice.JobMatch{})
	must.Get(p.s.StartJob(in.ID, "console", ""))(t)
	p.does("hear of the job", until("heard.isConnected && heard.textContent.startsWith('running, Job in progress: console')"))
	release()
	p.s.Advance(time.Minute)
	p.does("hear of its end", until("heard.isConnected && heard.textContent === 'running'"))

	p.does("read a log", until(`(() => {
		stream.close();
		const part = document.querySelector("[data-live=live]"), log = () => document.getElementById("log");
		const grow = (lines) => show(part, "<pre id=log tabindex=0>" + "line\n".repeat(lines) + "</pre>");
		grow(1000);
		log().focus();
		log().scrollTop = 500;
		grow(1001);
		const stayed = log().scrollTop === 500 && document.activeElement === log();
		log().scrollTop = log().scrollHeight;
		grow(1100);
		return stayed && log().scrollTop + log().clientHeight > log().scrollHeight - 2;
	})()`))

	p.does("open it again", p.open("/portal/instances/"+in.ID), says("Activity"))
	// As in another tab.
	p.refused("sign out elsewhere", http.StatusUnauthorized, until(`(window.left ??= fetch("/portal/sign-out", {
		method: "POST", redirect: "manual", body: new URLSearchParams({csrf: document.querySelector("#sign-out [name=csrf]").value}),
	})) !== null`), says("This page is no longer kept up to date"))
	// A part that the page requested in the meantime may be refused only now.
	p.refused("load it again", http.StatusUnauthorized, click("#stale a"), at("/portal/sign-in"))
}

// A part of a page that changes while it is pressed is shown when it is released, and a
// pressed button is clicked.
func TestPressedPartInABrowser(t *testing.T) {
	t.Parallel()
	p := comeToPortal(t, fakeservicetest.Delivering(http.NotFoundHandler()))
	endpoint := "https://hooks.example/shop"
	hook := must.Get(p.s.CreateWebhook(core.WebhookChange{URL: &endpoint}))(t)
	p.signsIn()
	// pressDuringChange returns the delivery that the page hears of while the element is pressed.
	pressDuringChange := func(selector string) string {
		t.Helper()
		p.does("open the endpoint", p.open("/portal/integrations/"+hook.ID), says("Last deliveries"), until(`(() => {
			window.received = "";
			stream.addEventListener("live", (event) => window.received = event.data);
			return true;
		})()`))
		center := must.Get(chromedp.Run(p.ctx, chromedp.Evaluate[[]float64](fmt.Sprintf(`(() => {
			const box = document.querySelector(%q).getBoundingClientRect();
			return [box.x + box.width / 2, box.y + box.height / 2];
		})()`, selector))))(t)
		mouse := func(event input.DispatchMouseEventType) act {
			return chromedp.MouseEvent(event, center[0], center[1], chromedp.ButtonLeft, chromedp.ClickCount(1))
		}
		p.does("press", mouse(chromedp.MousePressed))
		sent := must.Get(p.s.SendTestEvent(hook.ID))(t)
		p.does("release after the change", until(fmt.Sprintf("received.includes(%q)", sent.ID)), mouse(chromedp.MouseReleased))
		return sent.ID
	}
	p.does("see the change", says(pressDuringChange("#deliveries-title")))
	pressDuringChange("#test button")
	p.does("see that the button was clicked", says("The test event is on its way"))
}
