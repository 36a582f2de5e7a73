package transport

import (
	"net/http"
	"testing"
	"time"
)

// BenchmarkLimiterPass measures the cost of the limiter per request, sequentially and
// with many concurrent requests.
func BenchmarkLimiterPass(b *testing.B) {
	served := &answer{status: http.StatusOK}
	pass := func(l *limiter) {
		if err := l.enter(b.Context()); err != nil {
			b.Error(err)
		}
		l.learn(time.Now(), served)
		l.release()
	}
	b.Run("alone", func(b *testing.B) {
		l := newLimiter(0, NewRandom(nil))
		b.ReportAllocs()
		for b.Loop() {
			pass(l)
		}
	})
	b.Run("many", func(b *testing.B) {
		l := newLimiter(0, NewRandom(nil))
		b.ReportAllocs()
		b.SetParallelism(50)
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				pass(l)
			}
		})
	})
}
