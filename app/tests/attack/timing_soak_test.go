//go:build soak

package attack_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
)

// How long it takes to reject a key does not show whether it was ever one. Requests with a revoked key,
// with keys that were never given out, and with malformed ones are sent in random order; what the
// machine adds is cropped at the 90th percentile of all of them. By Welch's t, of which 4.5 is taken as
// a sign in the analysis of side channels, a difference as small as 4.5 + 1.645 standard errors is
// found in 95 of 100 runs: the test prints it.
func TestSoakTimingOfKeys(t *testing.T) {
	const rounds = 60_000
	s := fixture.New(t, fixture.Territory)
	s.Run(behindProxy) // each request comes from another network: one that sends many wrong keys is held back
	revoked := s.Account("revoked@example.org", "pro")
	s.Exec(`UPDATE account.api_key SET revoked_at = now()`)
	s.UntilNoticed(func() bool { return s.Get("/api/v1/regions", "X-API-Key", revoked).Status == http.StatusUnauthorized })
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
	took := map[string][]float64{}
	kinds := []string{"revoked", "unknown", "malformed"}
	for i := range rounds {
		kind := kinds[rand.IntN(len(kinds))]
		key := revoked
		switch kind {
		case "unknown":
			key, _ = apikey.New()
		case "malformed":
			key, _ = apikey.New()
			key = key[:len(key)-1] + "!"
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Base+"/api/v1/regions", nil)
		testkit.NoError(t, err)
		req.Header.Set("X-API-Key", key)
		req.Header.Set("X-Forwarded-For", fmt.Sprintf("%d.%d.%d.1", 1+i>>16, i>>8&255, i&255))
		start := time.Now()
		res, err := client.Do(req)
		spent := time.Since(start)
		testkit.NoError(t, err)
		if fixture.Read(t, res).Status != http.StatusUnauthorized {
			t.Fatalf("a %s key: %d", kind, res.StatusCode)
		}
		took[kind] = append(took[kind], float64(spent.Nanoseconds())/1000)
	}
	crop(took)
	for _, pair := range [][2]string{{"revoked", "unknown"}, {"revoked", "malformed"}, {"unknown", "malformed"}} {
		difference, stderr := welch(took[pair[0]], took[pair[1]])
		score := difference / stderr
		t.Logf("%s − %s: %+.3f µs, t = %+.2f; a difference of %.3f µs would be found", pair[0], pair[1], difference, score, (4.5+1.645)*stderr)
		if math.Abs(score) > 4.5 && pair[1] == "unknown" {
			t.Errorf("%s and %s keys can be distinguished", pair[0], pair[1])
		}
	}
}

// crop leaves out what took longer than nine tenths of all.
func crop(took map[string][]float64) {
	var all []float64
	for _, list := range took {
		all = append(all, list...)
	}
	slices.Sort(all)
	limit := all[len(all)*9/10]
	for kind, list := range took {
		took[kind] = slices.DeleteFunc(list, func(v float64) bool { return v > limit })
	}
}

// welch gives the difference of two means and its standard error.
func welch(a, b []float64) (difference, stderr float64) {
	mean := func(list []float64) (m, variance float64) {
		for _, v := range list {
			m += v / float64(len(list))
		}
		for _, v := range list {
			variance += (v - m) * (v - m) / float64(len(list)-1)
		}
		return m, variance
	}
	ma, va := mean(a)
	mb, vb := mean(b)
	return ma - mb, math.Sqrt(va/float64(len(a)) + vb/float64(len(b)))
}
