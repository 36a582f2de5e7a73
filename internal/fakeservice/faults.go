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
	// FaultFunc decides which fault affects each request.
	FaultFunc = gateway.FaultFunc
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

// SetFaultFunc installs a FaultFunc, or removes it if choose is nil. The FaultFunc
// receives every later request to the API in order, with its number from 1 on. If its
// faults lag, KeepPast must be called first.
func (s *Service) SetFaultFunc(choose FaultFunc) { s.setWeatherState(weatherState{}, choose) }

// weatherState is the weather and the seed of its random faults.
type weatherState struct {
	weather weather.Weather
	seed    uint64
}

func (s *Service) setWeatherState(now weatherState, choose FaultFunc) {
	s.skyMu.Lock()
	defer s.skyMu.Unlock()
	s.weatherState = now
	s.gateway.SetFaultFunc(choose)
}

// SetWeather makes random faults happen from now on. The same seed makes the same faults.
// It replaces a FaultFunc, and Reset sets it to calm.
func (s *Service) SetWeather(w weather.Weather, seed uint64) {
	if w == weather.Calm {
		seed = 0
	} else {
		s.KeepPast(weather.LongestLag)
	}
	s.setWeatherState(weatherState{w, seed}, w.FaultFunc(seed))
}

// Weather returns the current weather and its seed, which is 0 while it is calm.
func (s *Service) Weather() (weather.Weather, uint64) {
	s.skyMu.Lock()
	defer s.skyMu.Unlock()
	return s.weatherState.weather, s.weatherState.seed
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
