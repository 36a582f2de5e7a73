package portal

import (
	"bytes"
	"html/template"
	"net/http"
	"sync"

	"github.com/yuin/goldmark"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
)

// guideHTML returns the guide to apps as HTML. The guide is part of the program, so its
// text is trusted.
var guideHTML = sync.OnceValue(func() template.HTML {
	var text bytes.Buffer
	if err := goldmark.Convert(core.Guide, &text); err != nil {
		panic("portal: " + err.Error()) // a buffer takes everything
	}
	return template.HTML(text.String()) //nolint:gosec // see above
})

// serveGuide serves the guide without a sign-in: as HTML to a browser, and as the markdown
// that the API document names to any other program.
func (p *Portal) serveGuide(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	if wantsHTML(r) {
		p.write(w, http.StatusOK, &page{Title: "Guide to apps", Template: "guide", Data: guideHTML()})
	} else {
		w.Header().Set("Content-Type", core.GuideType)
		_, _ = w.Write(core.Guide) // nothing can be done for a reader that is gone
	}
	p.Did("GET /guides/apps")
}
