package social_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"arpent/auth/social"
	"arpent/internal/clock"
)

// A wrong configuration stops the start, with the provider's name, and starting asks no network.
func TestNewChecksTheConfiguration(t *testing.T) {
	t.Parallel()
	change := func(name string, f func(*social.ProviderConfig)) []social.ProviderConfig {
		c := providerConfig(name)
		f(&c)
		return []social.ProviderConfig{c}
	}
	tests := map[string][]social.ProviderConfig{
		"unknown provider":    {providerConfig("myspace")},
		"twice":               {providerConfig("google"), providerConfig("google")},
		"no client id":        change("google", func(c *social.ProviderConfig) { c.ClientID = "" }),
		"no client secret":    change("github", func(c *social.ProviderConfig) { c.ClientSecret = "" }),
		"no issuer":           change("oidc", func(c *social.ProviderConfig) { c.Issuer = "" }),
		"issuer without TLS":  change("oidc", func(c *social.ProviderConfig) { c.Issuer = "http://id.example" }),
		"issuer with a user":  change("oidc", func(c *social.ProviderConfig) { c.Issuer = "https://a:b@id.example" }),
		"GitLab without TLS":  change("gitlab", func(c *social.ProviderConfig) { c.Issuer = "http://git.example" }),
		"tenant with a slash": change("microsoft", func(c *social.ProviderConfig) { c.Issuer = "common/../x" }),
		"tenant by domain":    change("microsoft", func(c *social.ProviderConfig) { c.Issuer = "contoso.example" }),
	}
	for name, providers := range tests {
		if _, err := social.New(social.Options{BaseURL: "https://arpent.example", Secret: secret, Clock: clock.At(noon), Providers: providers}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := social.New(social.Options{Secret: []byte("short")}); err == nil {
		t.Error("a short secret is accepted")
	}
}

// The page shows a button for each configured provider, in order, and
// its form may lead to them and nowhere else.
func TestOfferedAndFormTargets(t *testing.T) {
	t.Parallel()
	named, own := providerConfig("oidc"), providerConfig("gitlab")
	named.Label, own.Issuer = "ProConnect", "https://git.example/gitlab"
	s := newStage(t, providerConfig("google"), providerConfig("github"), providerConfig("microsoft"), own, named)
	offered := []social.Offered{
		{"google", "Google"}, {"github", "GitHub"}, {"microsoft", "Microsoft"}, {"gitlab", "GitLab"}, {"oidc", "ProConnect"},
	}
	if got := s.social.Offered(); !slices.Equal(got, offered) {
		t.Errorf("offered %v", got)
	}
	want := []string{"https://accounts.google.com", "https://git.example", "https://github.com", "https://id.example",
		"https://login.live.com", "https://login.microsoftonline.com"}
	if got := s.social.FormTargets(); !slices.Equal(got, want) || len(s.net.requests) != 0 {
		t.Errorf("form targets %v after %d requests", got, len(s.net.requests))
	}
	s.document = map[string]any{"authorization_endpoint": "https://login.id.example/authorize"}
	s.begin("oidc", social.Flow{})
	if got := s.social.FormTargets(); !slices.Contains(got, "https://login.id.example") {
		t.Errorf("the discovered endpoint is missing: %v", got)
	}
	if _, _, err := s.social.Begin(context.Background(), "facebook", social.Flow{}); !errors.Is(err, social.ErrUnknownProvider) {
		t.Errorf("begin with an unknown one: %v", err)
	}
	if _, _, err := s.social.Finish(context.Background(), "facebook", "", nil); !errors.Is(err, social.ErrUnknownProvider) {
		t.Errorf("finish with an unknown one: %v", err)
	}
}

// The document of an issuer is asked for once a day, and an issuer that is
// away at its renewal goes on with the old one.
func TestDiscoveryIsRemembered(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.begin("oidc", social.Flow{})
	s.begin("oidc", social.Flow{})
	if n := s.net.asked("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("discovered %d times", n)
	}
	s.clock.Advance(25 * time.Hour)
	s.net.put("id.example", nil)
	s.begin("oidc", social.Flow{})
	if n := s.net.asked("/.well-known/openid-configuration"); n != 2 {
		t.Errorf("after a day discovered %d times", n)
	}
}
