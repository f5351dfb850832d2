package operation_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"arpent/app/dev/fixture"
	"arpent/app/dev/testkit"
)

// The memory that an answer is put together in belongs to that answer until it was sent: clients that ask at
// the same time never read of what another one asked for.
func TestConcurrentAnswersAreNotMixed(t *testing.T) {
	t.Parallel()
	s := fixture.Start(t)
	key := s.Account("mixed@example.org", "pro")
	s.Limit(key, 1_000_000)
	var clients sync.WaitGroup
	rounds := testkit.Rounds(8, 1000)
	for _, path := range []string{
		"communes/93010?include=stats", "communes/93010?include=geometry", "communes/93010?include=geometry,stats",
		"departements/93?include=stats", "departements/93?include=geometry,communes", "regions/11?include=stats",
		"regions/11?include=geometry,departements", "communes/93010",
	} {
		path = "/api/v1/" + path
		want := string(s.Get(path, "X-API-Key", key).Body)
		if !strings.Contains(want, `"kind"`) {
			t.Fatalf("%s: %s", path, want)
		}
		for client := range 4 {
			clients.Go(func() {
				for range rounds {
					if got := string(s.Get(path, "X-API-Key", key, "X-Client", fmt.Sprint(client)).Body); got != want {
						t.Errorf("%s answers\n%.200s, alone\n%.200s", path, got, want)
						return
					}
				}
			})
		}
	}
	clients.Wait()
}
