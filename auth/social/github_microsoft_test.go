package social_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"arpent/auth"
	"arpent/auth/social"
)

func githubSays(emails any) map[string]any {
	return map[string]any{"/user": map[string]any{"id": 583231, "login": "ada", "email": "public@example.org"}, "/user/emails": emails}
}

// GitHub: only the primary address counts, with GitHub's own flag;
// the one of the public profile says nothing.
func TestGitHubAddressIsThePrimaryOne(t *testing.T) {
	t.Parallel()
	entry := func(email string, primary, verified bool) map[string]any {
		return map[string]any{"email": email, "primary": primary, "verified": verified}
	}
	tests := []struct {
		name   string
		emails []any
		want   auth.Claim
	}{
		{"primary and verified", []any{entry("b@example.org", false, true), entry("a@example.org", true, true)}, auth.Claim{Email: "a@example.org", EmailVerified: true}},
		{"unverified primary, verified second", []any{entry("a@example.org", true, false), entry("b@example.org", false, true)}, auth.Claim{Email: "a@example.org"}},
		{"no primary", []any{entry("b@example.org", false, true)}, auth.Claim{}},
		{"no address", []any{}, auth.Claim{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, providerConfig("github"))
			s.github = githubSays(tt.emails)
			f := s.begin("github", social.Flow{Intent: social.SignIn})
			tt.want.Provider, tt.want.Subject = "github", "583231"
			if claim, _, err := s.finish(f, f.answer()); err != nil || claim != tt.want {
				t.Errorf("%+v, %v; expected %+v", claim, err, tt.want)
			}
		})
	}
}

// A profile that cannot be read signs in no one: goth would give the id "0" to every profile without one.
func TestGitHubRejectsUnreadableProfile(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]map[string]any{
		"no id":           {"/user": map[string]any{"login": "ada"}, "/user/emails": []any{}},
		"id is a word":    {"/user": map[string]any{"id": "583231"}, "/user/emails": []any{}},
		"no profile":      {"/user/emails": []any{}},
		"no addresses":    {"/user": map[string]any{"id": 1}},
		"addresses wrong": {"/user": map[string]any{"id": 1}, "/user/emails": map[string]any{"message": "no"}},
	} {
		s := newStage(t, providerConfig("github"))
		s.github = says
		f := s.begin("github", social.Flow{Intent: social.SignIn})
		claim, _, err := s.finish(f, f.answer())
		if !errors.Is(err, social.ErrProvider) || claim != (auth.Claim{}) {
			t.Errorf("%s: %+v, %v", name, claim, err)
		}
	}
}

// Microsoft: the administrator of any tenant can type any address for a user,
// so that it proves nothing without xms_edov.
func TestMicrosoftAddressIsUnverifiedWithoutXmsEdov(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		claims map[string]any
		want   bool
	}{
		"without xms_edov":         {map[string]any{}, false},
		"xms_edov false":           {map[string]any{"xms_edov": false}, false},
		"xms_edov 0":               {map[string]any{"xms_edov": "0"}, false},
		"xms_edov an object":       {map[string]any{"xms_edov": map[string]any{"x": 1}}, false},
		"xms_edov true":            {map[string]any{"xms_edov": true}, true},
		"xms_edov 1":               {map[string]any{"xms_edov": 1}, true},
		"xms_edov \"1\"":           {map[string]any{"xms_edov": "1"}, true},
		"email_verified":           {map[string]any{"email_verified": true}, true},
		"xms_edov without address": {map[string]any{"xms_edov": true, "email": nil}, false},
	} {
		s := newStage(t, providerConfig("microsoft"))
		f := s.begin("microsoft", social.Flow{Intent: social.SignIn})
		delete(s.claims, "email_verified")
		maps.Copy(s.claims, tt.claims)
		claim, _, err := s.finish(f, f.answer())
		if err != nil || claim.EmailVerified != tt.want || claim.Subject != tenantA+"/ada" || claim.Provider != "microsoft" {
			t.Errorf("%s: %+v, %v", name, claim, err)
		}
	}
}

// The tenants that may sign in are those of the configuration, each with its own issuer and its own keys.
func TestMicrosoftTenants(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tenant, iss string
		says        string // empty: may sign in
	}{
		{"", tenantIssuer(tenantA), ""},
		{"common", tenantIssuer(consumers), ""},
		{"organizations", tenantIssuer(tenantB), ""},
		{"organizations", tenantIssuer(consumers), "may not sign in"},
		{"consumers", tenantIssuer(consumers), ""},
		{"consumers", tenantIssuer(tenantA), "may not sign in"},
		{strings.ToUpper(tenantA), tenantIssuer(tenantA), ""},
		{tenantA, tenantIssuer(tenantB), "may not sign in"},
		{"common", tenantIssuer("{tenantid}"), "no tenant of Microsoft"},
		{"common", "https://login.microsoftonline.com/" + tenantA + "/v2.0/", "no tenant of Microsoft"},
		{"common", "https://evil.example/" + tenantA + "/v2.0", "no tenant of Microsoft"},
		{"common", "https://login.microsoftonline.com.evil.example/" + tenantA + "/v2.0", "no tenant of Microsoft"},
		{"common", "https://login.microsoftonline.com/" + tenantA + "/../" + tenantB + "/v2.0", "no tenant of Microsoft"},
	}
	for _, tt := range tests {
		c := providerConfig("microsoft")
		c.Issuer = tt.tenant
		s := newStage(t, c)
		f := s.begin("microsoft", social.Flow{Intent: social.SignIn})
		s.claims["iss"] = tt.iss
		if tt.says != "" {
			s.refuses(f, f.answer(), social.ErrProvider, tt.says)
			continue
		}
		claim, _, err := s.finish(f, f.answer())
		tenant := strings.Split(tt.iss, "/")[3]
		if err != nil || claim.Subject != tenant+"/ada" || s.net.asked("/"+tenant+"/discovery/v2.0/keys") != 1 {
			t.Errorf("tenant %q, issuer %s: %+v, %v", tt.tenant, tt.iss, claim, err)
		}
	}
}
