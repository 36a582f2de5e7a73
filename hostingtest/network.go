package hostingtest

import (
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

type (
	// Fault is something that goes wrong with the requests that it matches.
	Fault = fakeservice.Fault
	// Request is one request to the API, as the log keeps it.
	Request = fakeservice.Request
	// Weather is what goes wrong by chance.
	Weather = weather.Weather
)

// What goes wrong by chance: nothing, a request in ten, one in four.
const (
	Calm   = weather.Calm
	Breeze = weather.Breeze
	Storm  = weather.Storm
)

// Inject sets a fault. The function that it returns takes it away.
func (s *Service) Inject(f Fault) (remove func()) { return s.fake.Inject(f) }

// SetWeather has requests go wrong by chance from now on. The same seed gives the same
// requests the same weather.
func (s *Service) SetWeather(w Weather, seed uint64) { s.fake.SetWeather(w, seed) }

// Away takes the service away for a time: requests are answered with a gateway's page of
// that status, or with 0 find their connection closed.
func (s *Service) Away(d time.Duration, page int) { s.fake.Away(d, page) }

// Requests are the requests to the API so far, in order of arrival.
func (s *Service) Requests() []Request { return s.fake.Requests() }

// Count is how many requests of a method ("" for any) had a path below /api/v1 that a
// glob matches, such as "/instances/*"; /** at its end is everything below.
func (s *Service) Count(method, pathGlob string) int { return s.fake.Count(method, pathGlob) }
