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

	// A session ends when nothing was asked for so long, and in any case.
	idleLimit    = 30 * time.Minute
	sessionLimit = 12 * time.Hour
	// sessionsKept is how many there are at once; the oldest one ends.
	sessionsKept = 100
)

// session is somebody who is signed in.
type session struct {
	// csrf is what its forms bear.
	csrf        string
	began, seen time.Time
	// notices are shown on the pages that forms lead to, by their paths, once.
	notices map[string]*notice
}

// notice is what a form came to.
type notice struct {
	Text string
	// JobID is the job that was queued, Secret what is shown this once.
	JobID, Secret, SecretName string
}

// sessions are those that have not ended, by the sum of what the cookie holds.
type sessions struct {
	now func() time.Time
	mu  sync.Mutex
	all map[[sha256.Size]byte]*session
}

func newSessions(now func() time.Time) *sessions {
	return &sessions{now: now, all: map[[sha256.Size]byte]*session{}}
}

// begin makes a session, and gives what the cookie is to hold.
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

// of is the session of a request, or nil. It goes on by being used; a stream that a page
// keeps open is no use.
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

// goesOn tells whether a session has not ended.
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

// leave has a session show something on a page, when that is opened next.
func (s *sessions) leave(one *session, path string, n *notice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.notices[path] = n
}

// take is what a session is to show on a page, once.
func (s *sessions) take(one *session, path string) *notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := one.notices[path]
	delete(one.notices, path)
	return n
}

// cookieName is that of a session's cookie. A browser keeps the cookies of one host for
// all of its ports, and two fakes on it would take each other's away.
func cookieName(r *http.Request) string {
	const name = "portal_session"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		return name + "_" + port
	}
	return name
}

// cookie is the session's for who asks, or ends it for "".
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
