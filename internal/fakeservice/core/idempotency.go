package core

import "time"

// answersKept is the time for which the answer to a request with an idempotency key is
// remembered.
const answersKept = 24 * time.Hour

// Answer is a stored answer to a request with an idempotency key. A repeat of the request
// gets the same answer.
type Answer struct {
	Sequence int
	At       time.Time
	// Key is the idempotency key, and Request is the body of the request.
	Key     string
	Request []byte
	Status  int
	Header  map[string][]string
	Body    []byte
}

// Remember stores an answer for a day. It remembers the answer even if it returns an
// *Unwritten, until the end of the program.
func (s *Service) Remember(a Answer) error {
	err := s.store.make(func(st *state) {
		a.Sequence, a.At = st.next(), st.Now
		st.Answers = remove(st, st.Answers, func(old *Answer) bool { return st.Now.Sub(old.At) >= answersKept })
		st.Answers = keep(st, st.Answers, &a)
	})
	if err != nil {
		return &Unwritten{err}
	}
	return nil
}

// Recall returns the stored answer to the request with this key.
func (s *Service) Recall(key string) (Answer, bool) {
	var found Answer
	known := false
	s.store.read(0, func(st *state) {
		for _, a := range st.Answers {
			if a.Key == key && st.Now.Sub(a.At) < answersKept {
				found, known = *a, true
			}
		}
	})
	return found, known
}

// Credential returns the credential stored under name, with which clients reach the fake
// itself. A non-empty given replaces the stored one. Without a given or a stored
// credential, Credential generates one.
func (s *Service) Credential(name, given string) string {
	s.store.do(func(st *state) {
		if given == "" {
			given = st.Credentials[name]
		}
		if given == "" {
			given = randomText(26)
		}
		st.Credentials[name] = given
	})
	return given
}
