package control

import (
	"net/http"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

func (c *control) getWeather(*http.Request) (any, error) {
	now, seed := c.Network.Weather()
	if now == weather.Calm {
		return object{"weather": now.String(), "seed": nil}, nil
	}
	return object{"weather": now.String(), "seed": seed}, nil
}

// putWeather sets the weather from the next request on. The answer has the seed, which is
// random if the request has none.
func (c *control) putWeather(r *http.Request) (any, error) {
	var wanted struct {
		Weather string `json:"weather"`
		Seed    uint64 `json:"seed"`
	}
	if err := readControl(r, &wanted); err != nil {
		return nil, err
	}
	if err := c.SetWeather(wanted.Weather, wanted.Seed); err != nil {
		return nil, err
	}
	return c.getWeather(r)
}
