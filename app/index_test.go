package app_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"arpent/app/base/config"
)

// Whoever reads the index without a key learns the way to one: where to sign up, what the plans are, how an assistant
// gets in. Each address in the sentence is there.
func TestIndexTellsHowToGetAKey(t *testing.T) {
	t.Parallel()
	s := portal(t, func(*config.Config) {})
	var index struct {
		Authentication struct{ Obtain string }
	}
	if err := json.Unmarshal(s.get("/api/v1").body, &index); err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`https?://[^\s,]+[^\s,.]`).FindAllString(index.Authentication.Obtain, -1)
	want := map[string]int{"/signup": http.StatusOK, "/pricing": http.StatusOK, "/connect": http.StatusOK, "/mcp": http.StatusUnauthorized}
	for _, address := range found {
		path := strings.TrimPrefix(address, s.base)
		if got := s.get(path).status; got != want[path] {
			t.Errorf("%s: %d, want %d", address, got, want[path])
		}
		delete(want, path)
	}
	if len(want) > 0 {
		t.Errorf("not named in %q: %v", index.Authentication.Obtain, want)
	}
}
