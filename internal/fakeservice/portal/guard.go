package portal

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/core"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/httpauth"
)

// maxForm is the maximum size of a form in bytes.
const maxForm = 1 << 20

// contentPolicy allows a page to load only what the portal itself serves, and forbids
// frames around it.
const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secured sets the security headers of a page. Pages contain secrets and change soon, so
// they must not be cached.
func secured(serve http.HandlerFunc) http.Handler {
	// A page of another site cannot send forms here, with or without a session.
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		w.Header().Set("Cache-Control", "no-store")
		if err := origins.Check(r); err != nil {
			http.Error(w, "requests of other sites are refused", http.StatusForbidden)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		serve(w, r)
	})
}

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// With no referrer at all, browsers would send forms with the origin null.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// assetsOnly serves the style, the script and the icon, but no list of them.
func assetsOnly(files http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		if strings.HasSuffix(r.URL.Path, "/") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		files.ServeHTTP(w, r)
	})
}

// isSecure reports whether a visitor's connection is encrypted. The portal's address may
// say so too.
func (p *Portal) isSecure(r *http.Request) bool {
	return httpauth.IsSecure(r) || strings.HasPrefix(p.PortalURL, "https://")
}

// signedIn serves requests with a session. A form must also have the session's token.
func (p *Portal) signedIn(serve func(*call)) http.Handler {
	return secured(func(w http.ResponseWriter, r *http.Request) {
		s := p.sessions.of(r)
		c := &call{Portal: p, w: w, r: r, session: s}
		switch {
		case s == nil && isStream(r):
			http.Error(w, "the session has ended", http.StatusUnauthorized)
		case s == nil:
			p.askToSignIn(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !s.sentForm(r):
			c.fail(core.Refuse(core.Unauthorized, "The form does not come from a page of this session. Go back, load the page again and send it once more."))
		default:
			serve(c)
		}
	})
}

// sentForm reports whether a form comes from a page of the session.
func (s *session) sentForm(r *http.Request) bool {
	return subtle.ConstantTimeCompare([]byte(r.PostFormValue(csrfField)), []byte(s.csrf)) == 1
}

// askToSignIn redirects to the sign-in page, which leads back to a requested page. A form
// has no effect.
func (p *Portal) askToSignIn(w http.ResponseWriter, r *http.Request) {
	next := SignInPath
	if r.Method == http.MethodGet {
		next += "?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// wantsHTML reports whether a request comes from a browser, which names HTML among the media
// types that it accepts. Most other programs accept anything.
func wantsHTML(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// localPath returns text if it is a page of the portal, and the first page otherwise.
func localPath(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.IsAbs() || u.Host != "" || strings.Contains(text, `\`) || path.Clean(u.Path) != u.Path ||
		!strings.HasPrefix(u.Path, Root+"/") || u.Path == SignInPath {
		return Root + "/instances"
	}
	return text
}
