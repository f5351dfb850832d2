package social_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"arpent/auth/social"
)

// A provider that accepts connections and never answers holds a request for
// less than five seconds, and never for good.
func TestSlowProviderMeetsADeadline(t *testing.T) {
	for _, slow := range []string{"/.well-known/openid-configuration", "/token", "/keys", "/userinfo"} {
		t.Run(slow, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // its time passes as soon as all goroutines wait
				s := newStage(t)
				fast := s.net.hosts["id.example"]
				s.net.put("id.example", http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					if req.URL.Path == slow {
						<-req.Context().Done()
						return
					}
					fast.ServeHTTP(w, req)
				}))
				start := time.Now()
				address, cookie, err := s.social.Begin(context.Background(), "oidc", social.Flow{Intent: social.SignIn})
				if err == nil {
					u, _ := url.Parse(address)
					s.claims = map[string]any{"iss": issuer, "aud": clientID, "sub": "ada", "nonce": u.Query().Get("nonce"),
						"exp": noon.Add(time.Hour).Unix()}
					_, _, err = s.social.Finish(context.Background(), "oidc", cookie, url.Values{"state": {u.Query().Get("state")}, "code": {code}})
				}
				if took := time.Since(start); !errors.Is(err, social.ErrProvider) || took >= 5*time.Second {
					t.Errorf("after %s: %v", took, err)
				}
			})
		})
	}
}
