package portal

import (
	"crypto/rand"
	"crypto/sha256"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	csrfField = "csrf"

	// Limits of an idle session and of any session.
	idleLimit    = 30 * time.Minute
	sessionLimit = 12 * time.Hour
	// sessionsKept is the maximum number of concurrent sessions. Beyond it, the oldest
	// one ends.
	sessionsKept = 100
)

// session is a session after sign-in.
type session struct {
	// csrf is the token of the session's forms.
	csrf        string
	began, seen time.Time
	// notices has the notices to show once on pages that forms lead to, by path.
	notices map[string]*notice
	// controls reports whether the control token was given.
	controls bool
}

// notice is a message about the result of a form.
type notice struct {
	Text string
	// JobID is the id of the queued job. Secret is shown only this once.
	JobID, Secret, SecretName string
}

// sessions has the sessions that have not ended, by the hash of the cookie's value.
type sessions struct {
	now func() time.Time
	mu  sync.Mutex
	all map[[sha256.Size]byte]*session
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, all: map[[sha256.Size]byte]*session{}}
}

// begin makes a session and returns the value of its cookie.
func (s *sessions) begin() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropEnded()
	if len(s.all) >= sessionsKept {
		s.dropOldest()
	}
	token, now := rand.Text(), s.now()
	s.all[sha256.Sum256([]byte(token))] = &session{csrf: rand.Text(), began: now, seen: now, notices: map[string]*notice{}}
	return token
}

func (s *sessions) ended(one *session) bool {
	now := s.now()
	return now.Sub(one.seen) >= idleLimit || now.Sub(one.began) >= sessionLimit
}

func (s *sessions) dropEnded() {
	for sum, one := range s.all {
		if s.ended(one) {
			delete(s.all, sum)
		}
	}
}

func (s *sessions) dropOldest() {
	var oldest [sha256.Size]byte
	for sum, one := range s.all {
		if first, there := s.all[oldest]; !there || one.began.Before(first.began) {
			oldest = sum
		}
	}
	delete(s.all, oldest)
}

// of returns the session of a request, or nil. A request keeps the session from becoming
// idle, except for the stream of an open page.
func (s *sessions) of(r *http.Request) *session {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropEnded()
	one := s.all[sha256.Sum256([]byte(cookie.Value))]
	if one != nil && !isStream(r) {
		one.seen = s.now()
	}
	return one
}

// goesOn reports whether a session has not ended.
func (s *sessions) goesOn(one *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropEnded()
	for _, other := range s.all {
		if other == one {
			return true
		}
	}
	return false
}

// finish ends a session.
func (s *sessions) finish(one *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sum, other := range s.all {
		if other == one {
			delete(s.all, sum)
		}
	}
}

// leave sets the notice that a page shows when it is opened next.
func (s *sessions) leave(one *session, path string, n *notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.notices[path] = n
}

// take returns the notice for a page, once.
func (s *sessions) take(one *session, path string) *notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := one.notices[path]
	delete(one.notices, path)
	return n
}

// cookieName returns the name of the session's cookie. A browser shares the cookies of
// one host between all its ports, so the name includes the port. Otherwise two fakes
// would replace each other's cookie.
func cookieName(r *http.Request) string {
	const name = "portal_session"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return name + "_" + port
	}
	return name
}

// cookie returns the session's cookie, or one that removes it if token is "".
func cookie(r *http.Request, token string, secure bool) *http.Cookie {
	c := &http.Cookie{
		Name: cookieName(r), Value: token, Path: Root, MaxAge: int(sessionLimit / time.Second),
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode,
	}
	if token == "" {
		c.MaxAge = -1
	}
	return c
}
