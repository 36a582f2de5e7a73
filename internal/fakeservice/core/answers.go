package core

import "time"

// answersKept is how long the answer to a request that may be repeated is remembered.
const answersKept = 24 * time.Hour

// Answer is what was answered to a request that names itself, for when it is repeated.
type Answer struct {
	Sequence int
	At       time.Time
	// Key names the request, and Request is its body.
	Key     string
	Request []byte
	Status  int
	Header  map[string][]string
	Body    []byte
}

// Remember keeps an answer for a day.
func (s *Service) Remember(a Answer) error {
	_, err := change(s, func(st *state) (struct{}, error) {
		a.Sequence, a.At = st.next(), st.Now
		st.Answers = remove(st, st.Answers, func(old *Answer) bool { return st.Now.Sub(old.At) >= answersKept })
		st.Answers = keep(st, st.Answers, &a)
		return struct{}{}, nil
	})
	return err
}

// Recall is the answer that was given before to the request of a key.
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

// Credential is what is kept under a name, by which the fake itself is reached. One
// that is given takes the place of what was kept; without either it is made.
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
