package hostingtest

import (
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

// The other types of this package repeat those of the fake, which is internal. This file
// contains all conversions, which compile only while both types have the same fields.

// each converts the elements of a list. Nil stays nil.
func each[From, To any](list []From, convert func(From) To) []To {
	if list == nil {
		return nil
	}
	converted := make([]To, len(list))
	for i, element := range list {
		converted[i] = convert(element)
	}
	return converted
}

func deliveryOf(d fakeservice.Delivery) Delivery { return Delivery(d) }
func requestOf(r fakeservice.Request) Request    { return Request(r) }

func (m JobMatch) internal() fakeservice.JobMatch     { return fakeservice.JobMatch(m) }
func (m BuildMatch) internal() fakeservice.BuildMatch { return fakeservice.BuildMatch(m) }
func (m AppMatch) internal() fakeservice.AppMatch     { return fakeservice.AppMatch(m) }
func (f Fault) internal() fakeservice.Fault           { return fakeservice.Fault(f) }
func (w Weather) internal() weather.Weather           { return weather.Weather(w) }
