package weather_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/gateway/weather"
)

const whole = `{"id":"t-1","name":"one"}`

// played is the outcome of a request.
type played struct {
	Kind   weather.Kind
	Strike bool
	// Seen is the client's result: a status, or the text of the error. Cut reports that the
	// body was incomplete.
	Seen string
	Cut  bool
	// Took is the time until the answer. Lag is the age of the state that the service was
	// asked for. Served is the time until the service saw the request, negative for never.
	Took, Lag, Served time.Duration
}

// play sends n requests, reads and writes by turns, through a gateway in a weather.
func play(t *testing.T, w weather.Weather, seed uint64, n int) []played {
	t.Helper()
	all := make([]played, n)
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		sent := make([]time.Time, n)
		g := gateway.New(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			var i int
			_, _ = fmt.Sscan(r.URL.Query().Get("i"), &i)
			mu.Lock()
			all[i].Served, all[i].Lag = time.Since(sent[i]), gateway.LagOf(r.Context())
			mu.Unlock()
			rw.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(rw, whole)
		}), gateway.Options{})
		defer g.Close()
		g.SetFaultFunc(w.FaultFunc(seed))
		client := &http.Client{Transport: gateway.Transport{Handler: g}}
		for i := range all {
			method := []string{http.MethodGet, http.MethodPost}[i%2]
			p := &all[i]
			p.Kind, _, p.Strike = w.At(seed, i+1, method)
			mu.Lock()
			p.Served, sent[i] = -1, time.Now()
			mu.Unlock()
			p.Seen, p.Cut = send(t.Context(), client, method, fmt.Sprintf("https://hosting.test/?i=%d", i))
			p.Took = time.Since(sent[i])
		}
		time.Sleep(time.Hour) // late requests arrive
	})
	return all
}

func send(ctx context.Context, client *http.Client, method, address string) (seen string, cut bool) {
	r, _ := http.NewRequestWithContext(ctx, method, address, nil)
	answer, err := client.Do(r)
	if err != nil {
		return "closed", false
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	seen = fmt.Sprint(answer.StatusCode)
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/") {
		seen += " page"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		seen += " broken off"
	}
	return seen, answer.StatusCode == http.StatusOK && string(body) != whole
}

// looks checks the outcome of each kind.
var looks = map[weather.Kind]func(p played) bool{
	weather.BadGateway:    func(p played) bool { return p.Seen == "502 page" && p.Served < 0 },
	weather.Foreign404:    func(p played) bool { return p.Seen == "404 page" && p.Served < 0 },
	weather.Unavailable:   func(p played) bool { return p.Seen == "503 page" && p.Served < 0 },
	weather.NeverSent:     func(p played) bool { return p.Seen == "closed" && p.Served < 0 },
	weather.LostAnswer:    func(p played) bool { return p.Seen == "closed" && p.Served == 0 },
	weather.TimedOut:      func(p played) bool { return p.Seen == "504 page" && p.Served == 0 },
	weather.LateCommit:    func(p played) bool { return p.Seen == "504 page" && p.Served >= 2*time.Second },
	weather.Lagging:       func(p played) bool { return p.Seen == "200" && p.Lag >= time.Second && p.Lag <= weather.LongestLag },
	weather.TooMany:       func(p played) bool { return p.Seen == "429" && p.Served < 0 },
	weather.Busy:          func(p played) bool { return p.Seen == "503" && p.Served < 0 },
	weather.InternalError: func(p played) bool { return p.Seen == "500" && p.Served < 0 },
	weather.Slow:          func(p played) bool { return p.Seen == "200" && p.Took >= 500*time.Millisecond && p.Served == 0 },
	weather.BrokenOff:     func(p played) bool { return p.Seen == "200 broken off" && p.Cut && p.Served == 0 },
	weather.Truncated:     func(p played) bool { return p.Seen == "200" && p.Cut && p.Served == 0 },
}

// Every kind of a weather strikes at each seed, with its proper outcome and at about its
// defined rate. Requests without a fault succeed in full.
func TestEachKindStrikes(t *testing.T) {
	t.Parallel()
	const n = 2000
	kinds := map[weather.Weather][]weather.Kind{
		weather.Breeze: {weather.BadGateway, weather.Unavailable, weather.Lagging, weather.TooMany, weather.Busy, weather.Slow},
	}
	for k := range weather.Kinds {
		if k != weather.Huge { // reading all of it would prove nothing more
			kinds[weather.Storm] = append(kinds[weather.Storm], k)
		}
	}
	least := map[weather.Weather]int{weather.Calm: 0, weather.Breeze: n * 7 / 100, weather.Storm: n * 20 / 100}
	most := map[weather.Weather]int{weather.Calm: 0, weather.Breeze: n * 13 / 100, weather.Storm: n * 30 / 100}
	for _, w := range []weather.Weather{weather.Calm, weather.Breeze, weather.Storm} {
		for _, seed := range []uint64{0, 1, 7, 1 << 40} {
			t.Run(fmt.Sprintf("%s seed %d", w, seed), func(t *testing.T) {
				t.Parallel()
				counts, faulted := map[weather.Kind]int{}, 0
				for i, p := range play(t, w, seed, n) {
					if !p.Strike {
						if p.Seen != "200" || p.Cut || p.Took != 0 || p.Lag != 0 || p.Served != 0 {
							t.Errorf("request %d, which is fair: got %+v, want 200 at once", i+1, p)
						}
						continue
					}
					faulted++
					counts[p.Kind]++
					if !looks[p.Kind](p) {
						t.Errorf("request %d: got %+v, want the looks of %s", i+1, p, p.Kind)
					}
				}
				for _, k := range kinds[w] {
					if counts[k] == 0 {
						t.Errorf("requests that %s strikes: got none, want at least one", k)
					}
				}
				if len(counts) != len(kinds[w]) || faulted < least[w] || faulted > most[w] {
					t.Errorf("of %d requests: got faults in %d by %d kinds, want %d to %d by %d kinds", n, faulted, len(counts), least[w], most[w], len(kinds[w]))
				}
				t.Logf("%d of %d requests: %s", faulted, n, table(counts))
			})
		}
	}
}

func table(counts map[weather.Kind]int) string {
	var b strings.Builder
	for k := range weather.Kinds {
		if counts[k] > 0 {
			fmt.Fprintf(&b, "\n  %-20s %4d", k, counts[k])
		}
	}
	return b.String()
}

// The same seed produces the same weather, and a different seed a different one.
func TestSameSeedSameWeather(t *testing.T) {
	t.Parallel()
	first, again, other := play(t, weather.Storm, 3, 300), play(t, weather.Storm, 3, 300), play(t, weather.Storm, 4, 300)
	if difference := cmp.Diff(first, again); difference != "" {
		t.Errorf("the weather of the same seed differs (-first +again):\n%s", difference)
	}
	if cmp.Equal(first, other) {
		t.Error("two seeds: got the same weather, want different weather")
	}
}

// The failure of a request depends on its number, not on earlier requests.
func TestEachRequestHasItsOwnWeather(t *testing.T) {
	t.Parallel()
	strike := weather.Storm.FaultFunc(3)
	backwards := make([]*gateway.Fault, 301)
	for n := 300; n > 0; n-- {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		backwards[n] = strike(n, r)
	}
	for n := 1; n <= 300; n++ {
		kind, amount, strikes := weather.Storm.At(3, n, http.MethodPost)
		var want *gateway.Fault
		if strikes {
			want = kind.Fault(amount)
		}
		if difference := cmp.Diff(want, backwards[n]); difference != "" {
			t.Errorf("request %d (-want +got):\n%s", n, difference)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, w := range []weather.Weather{weather.Calm, weather.Breeze, weather.Storm} {
		if got, err := weather.Parse(w.String()); got != w || err != nil {
			t.Errorf("Parse(%q): got %v and error %v, want %v", w.String(), got, err, w)
		}
	}
	if _, err := weather.Parse("hail"); err == nil {
		t.Error("Parse of hail: got no error, want one")
	}
}
