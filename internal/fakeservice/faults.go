package fakeservice

import (
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// Package gateway documents these types. Answers of the gateway itself are not checked
// against the OpenAPI document; answers of the service behind it are.
type (
	// Fault is a fault for the requests that it matches.
	Fault = gateway.Fault
	// Strike decides which fault affects each request.
	Strike = gateway.Strike
	// Conditions apply to all requests until they are changed.
	Conditions = gateway.Conditions
	// RateLimit refuses requests above a rate.
	RateLimit = gateway.RateLimit
)

// Inject installs a fault and returns a function that removes it.
func (s *Service) Inject(f Fault) (remove func()) {
	if f.Lag > 0 {
		s.KeepPast(f.Lag)
	}
	return s.gateway.Inject(f)
}

// SetStrike installs a Strike, or removes it if strike is nil. The Strike receives every
// later request to the API in order, with its number from 1 on. If its faults lag,
// KeepPast must be called first.
func (s *Service) SetStrike(strike Strike) { s.setSky(sky{}, strike) }

// sky is the weather and the seed of its random faults.
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

// SetWeather makes random faults happen from now on. The same seed makes the same faults.
// It replaces a Strike, and Reset sets it to calm.
func (s *Service) SetWeather(w weather.Weather, seed uint64) {
	if w == weather.Calm {
		seed = 0
	} else {
		s.KeepPast(weather.LongestLag)
	}
	s.setSky(sky{w, seed}, w.Strike(seed))
}

// Weather returns the current weather and its seed, which is 0 while it is calm.
func (s *Service) Weather() (weather.Weather, uint64) {
	s.skyMu.Lock()
	defer s.skyMu.Unlock()
	return s.sky.weather, s.sky.seed
}

// SetConditions replaces the conditions. Reads that lag never show a state from before
// the lag was set.
func (s *Service) SetConditions(c Conditions) {
	s.SetLag(c.Lag)
	s.gateway.SetConditions(c)
}

// Conditions returns the current conditions.
func (s *Service) Conditions() Conditions { return s.gateway.Conditions() }

// Away makes the service unavailable for a real duration. Requests to the API are
// answered with a gateway's page of that status; if it is 0, their connection is closed.
// Jobs and the fake's clock continue. A duration of 0 makes the service available again.
func (s *Service) Away(d time.Duration, page int) { s.gateway.Away(d, page) }

// LateRequests returns the number of requests that have been answered but not yet
// completely processed by the service, because of Fault.CommitAfter.
func (s *Service) LateRequests() int { return s.gateway.LateRequests() }

// DeliverLate makes the service process all late requests now. It returns their number.
func (s *Service) DeliverLate() int { return s.gateway.DeliverLate() }
