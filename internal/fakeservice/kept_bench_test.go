package fakeservice_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/fakeservicetest"
	"github.com/instance-hosting/terraform-provider-hosting/internal/fakeservice/storage"
	"github.com/instance-hosting/terraform-provider-hosting/internal/must"
)

// These benchmarks compare --state with a fake in memory:
//
//	go test ./internal/fakeservice -run '^$' -bench Kept
//
// The benchmarks of Account include changes in a small account and in a large one.

// kept has the two ways to run a fake: in memory, and with its records in a file.
func kept(b *testing.B) map[string]func(*fakeservice.Options) {
	return map[string]func(*fakeservice.Options){
		"memory": func(*fakeservice.Options) {},
		"state":  func(o *fakeservice.Options) { o.Storage = openFile(b, filepath.Join(b.TempDir(), "records.db")) },
	}
}

func openFile(b *testing.B, path string) *storage.File {
	file := must.Get(storage.Open(path))(b)
	return file
}

const creation = `{"name":"new","plan":"free","region":"eu-central","engines":{"postgres":true},"tags":[]}`

// BenchmarkKeptCreations measures the instances created per second by 32 concurrent
// clients.
func BenchmarkKeptCreations(b *testing.B) {
	for name, keep := range kept(b) {
		b.Run(name, func(b *testing.B) {
			a := newAccount(b, few, keep)
			var n atomic.Int64
			for b.Loop() {
				inParallel(1000, 32, func(int) {
					a.send(http.StatusAccepted, "POST", "/instances", creation, "Idempotency-Key", fmt.Sprint("key-", n.Add(1)))
				})
			}
			b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "creations/s")
		})
	}
}

// BenchmarkKeptReads measures the 95th percentile of GET /instances at 200 requests per
// second, while instances are changed ten times per second.
func BenchmarkKeptReads(b *testing.B) {
	for name, keep := range kept(b) {
		b.Run(name, func(b *testing.B) {
			a := newAccount(b, few, keep)
			addInParallel(a, many)
			var took []time.Duration
			for b.Loop() {
				took = took[:0]
				var all sync.WaitGroup
				var mu sync.Mutex
				next := time.NewTicker(time.Second / 200)
				for n := range 1000 {
					<-next.C
					if n%20 == 0 {
						all.Go(func() { a.change(n) })
					}
					all.Go(func() {
						began := time.Now()
						a.send(http.StatusOK, "GET", "/instances?limit=20", "")
						mu.Lock()
						defer mu.Unlock()
						took = append(took, time.Since(began))
					})
				}
				next.Stop()
				all.Wait()
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
		})
	}
}

// BenchmarkKeptStart measures the start of a fake with 10,000 instances.
func BenchmarkKeptStart(b *testing.B) {
	path := filepath.Join(b.TempDir(), "records.db")
	options := fakeservice.Options{APIKey: fakeservicetest.APIKey, Storage: openFile(b, path)}
	first := must.Get(fakeservice.Open(options))(b)
	addInParallel(&account{first, b, nil}, 10_000)
	must.Do(b, first.Close())
	for b.Loop() {
		options.Storage = openFile(b, path)
		again := must.Get(fakeservice.Open(options))(b)
		if n := len(again.Instances()); n < 10_000 {
			b.Fatalf("stored instances: got %d, want at least 10000", n)
		}
		b.StopTimer()
		must.Do(b, again.Close())
		b.StartTimer()
	}
}

// addInParallel adds idle instances.
func addInParallel(a *account, instances int) {
	ids := make([]string, instances)
	inParallel(instances, 64, func(n int) { ids[n] = a.AddInstance(box(n)).ID })
	a.ids = append(a.ids, ids...)
}

// inParallel calls do the given number of times from concurrent goroutines.
func inParallel(times, by int, do func(n int)) {
	var all sync.WaitGroup
	var next atomic.Int64
	for range by {
		all.Go(func() {
			for n := next.Add(1); n <= int64(times); n = next.Add(1) {
				do(int(n - 1))
			}
		})
	}
	all.Wait()
}
