package waitbench

import (
	"math/rand/v2"
	"time"
)

// peers returns the schedules of other providers.
func peers() []Case {
	return []Case{
		{"fixed 10 s", none, nil, fixed(10 * time.Second)},
		{"fixed 5 s", none, nil, fixed(5 * time.Second)},
		{"0.5 s doubling to 10 s", none, nil, growing(500*time.Millisecond, 2, 10*time.Second)},
		{"1 s fixed", none, nil, fixed(time.Second)},
		{"3 s times 1.2 to 15 s", none, nil, growing(3*time.Second, 1.2, 15*time.Second)},
	}
}

func fixed(delay time.Duration) func(*rand.Rand, time.Duration) Schedule {
	return growing(delay, 1, delay)
}

func growing(first time.Duration, factor float64, longest time.Duration) func(*rand.Rand, time.Duration) Schedule {
	return func(*rand.Rand, time.Duration) Schedule { return &backoff{first, factor, longest, first} }
}

// A backoff multiplies its delay by a factor after each poll.
type backoff struct {
	first   time.Duration
	factor  float64
	longest time.Duration
	delay   time.Duration
}

func (b *backoff) First() time.Duration { return b.first }

func (b *backoff) Next(time.Duration, int) time.Duration {
	b.delay = min(time.Duration(float64(b.delay)*b.factor), b.longest)
	return b.delay
}
