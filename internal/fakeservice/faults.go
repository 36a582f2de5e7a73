package fakeservice

import (
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// What can go wrong is the gateway's: package gateway says what each of these
// does. What the gateway answers by itself is not held to the OpenAPI document;
// what the service behind it answers is.
type (
	// Fault is something that goes wrong with the requests that it matches.
	Fault = gateway.Fault
	// Strike decides what hits each request.
	Strike = gateway.Strike
	// Conditions hold for all requests until they are changed.
	Conditions = gateway.Conditions
	// RateLimit refuses what is too much.
	RateLimit = gateway.RateLimit
)

// Inject sets a fault. The function that it returns takes it away.
func (s *Service) Inject(f Fault) (remove func()) {
	if f.Lag > 0 {
		s.KeepPast(f.Lag)
	}
	return s.gateway.Inject(f)
}

// SetStrike sets what sees every request to the API from now on, in order, with
// its number from 1 on, and decides what hits it; nil takes it away. A Strike
// with faults that lag needs KeepPast.
func (s *Service) SetStrike(strike Strike) { s.setSky(sky{}, strike) }

// sky is the weather and the seed of its chance.
type sky struct {
	weather weather.Weather
	seed    uint64
}

func (s *Service) setSky(now sky, strike Strike) {
	s.skyMu.Lock()
	defer s.skyMu.Unlock()
	s.sky = now
	s.gateway.SetStrike(strike)
}

// SetWeather has things go wrong by chance from now on, and by the same chance for the
// same seed. It takes the place of a Strike, and Reset calms it.
func (s *Service) SetWeather(w weather.Weather, seed uint64) {
	if w == weather.Calm {
		seed = 0
	} else {
		s.KeepPast(weather.LongestLag)
	}
	s.setSky(sky{w, seed}, w.Strike(seed))
}

// Weather is what it is now, and the seed of its chance, which is 0 while it is calm.
func (s *Service) Weather() (weather.Weather, uint64) {
	s.skyMu.Lock()
	defer s.skyMu.Unlock()
	return s.sky.weather, s.sky.seed
}

// SetConditions replaces the conditions. Reads that lag show nothing older than
// what there was when the lag was switched on.
func (s *Service) SetConditions(c Conditions) {
	s.SetLag(c.Lag)
	s.gateway.SetConditions(c)
}

// Conditions are those that hold now.
func (s *Service) Conditions() Conditions { return s.gateway.Conditions() }

// Away takes the service away for a time of the real clock: requests to the API
// are answered with a gateway's page of that status, or with 0 find their
// connection closed. Records, jobs and the fake's clock go on. A time of 0 brings
// the service back.
func (s *Service) Away(d time.Duration, page int) { s.gateway.Away(d, page) }

// LateRequests is how many requests have been answered that the service has yet
// to see or to answer, because of Fault.CommitAfter.
func (s *Service) LateRequests() int { return s.gateway.LateRequests() }

// DeliverLate has the service see all late requests now, and returns how many
// they were when it has answered them.
func (s *Service) DeliverLate() int { return s.gateway.DeliverLate() }
