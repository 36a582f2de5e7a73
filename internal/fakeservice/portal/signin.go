package portal

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// signInForm returns the form for the account's email address and the password that the
// program prints.
func signInForm(next string) *form {
	return &form{ID: "sign-in", Action: SignInPath, Submit: "Sign in", Fields: []*field{
		{Name: "next", Kind: hidden, Value: next},
		{Name: "email", Label: "E-mail", Kind: "email", Required: true, Autocomplete: "username"},
		{Name: "password", Label: "Password", Kind: "password", Required: true, Autocomplete: "current-password",
			Help: "The fake service prints the account and its password when it starts."},
	}}
}

func (p *Portal) showSignIn(w http.ResponseWriter, r *http.Request) {
	if p.sessions.of(r) != nil {
		http.Redirect(w, r, localPath(r.URL.Query().Get("next")), http.StatusSeeOther)
		return
	}
	p.write(w, http.StatusOK, &page{Title: "Sign in", Template: "sign-in", Forms: []*form{signInForm(localPath(r.URL.Query().Get("next")))}})
}

func (p *Portal) signIn(w http.ResponseWriter, r *http.Request) {
	account, err := p.Service.Account(r.Context())
	next := localPath(r.PostFormValue("next"))
	known := err == nil && strings.EqualFold(strings.TrimSpace(r.PostFormValue("email")), account.Email)
	right := subtle.ConstantTimeCompare([]byte(r.PostFormValue("password")), []byte(p.Password)) == 1 && p.Password != ""
	status, problem := http.StatusUnauthorized, "The e-mail or the password is wrong."
	if p.guesses.Tokens() < 1 {
		status, problem = http.StatusTooManyRequests, "Too many attempts failed. Wait a minute."
	}
	if !known || !right || status == http.StatusTooManyRequests {
		p.guesses.Allow()
		f := signInForm(next)
		f.fill(r.PostForm)
		f.Problem = problem
		p.write(w, status, &page{Title: "Sign in", Template: "sign-in", Forms: []*form{f}})
		return
	}
	http.SetCookie(w, cookie(r, p.sessions.begin(), p.isSecure(r)))
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (p *Portal) signOut(c *call) {
	p.sessions.finish(c.session)
	http.SetCookie(c.w, cookie(c.r, "", p.isSecure(c.r)))
	http.Redirect(c.w, c.r, SignInPath, http.StatusSeeOther)
}
