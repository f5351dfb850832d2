package mcp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"arpent/app/dev/testkit"
	"arpent/auth/apikey"
	"arpent/internal/clock"
	"arpent/internal/fault"
)

type findKey func(secret string) (*apikey.Entry, error)

func (f findKey) Find(secret string) (*apikey.Entry, error) { return f(secret) }

type findToken func(secret string) (*apikey.Entry, error)

func (f findToken) Find(_ context.Context, secret string) (*apikey.Entry, error) { return f(secret) }

// A limit that the owner of an account has set is changed on the page of the
// key or of the assistant, and no plan helps.
func TestAdviceLeadsToThePageOfTheCaller(t *testing.T) {
	t.Parallel()
	only := func(known string) findKey {
		return func(secret string) (*apikey.Entry, error) {
			if secret != known {
				return nil, errors.New("not known")
			}
			return &apikey.Entry{}, nil
		}
	}
	now := clock.At(time.Date(2026, 11, 21, 22, 45, 0, 0, time.UTC))
	s := New(Options{Clock: now, Document: testDocument(), BaseURL: testBase, ServiceName: "Arpent", Keys: only("key"), Tokens: findToken(only("token"))})
	app := fiber.New()
	for header, page := range map[[2]string]string{
		{"X-Api-Key", "key"}: "/account/keys", {"Authorization", "Bearer key"}: "/account/keys", {"Authorization", "Bearer token"}: "/account/assistants",
	} {
		request := &fasthttp.RequestCtx{}
		request.Request.Header.Set(header[0], header[1])
		k, err := s.authenticateRequest(app.AcquireCtx(request))
		if err != nil {
			t.Fatalf("%v: %v", header, err)
		}
		advice := func(code fault.Code, paused bool, left int) string {
			k.key.Paused = paused
			return s.nextStep(s.tools["list_regions"], k, &fault.Error{Code: code, RetryAfter: 90 * time.Minute}, left, now.Now())
		}
		for want, got := range map[string]string{
			"what this access may ask in a day at " + testBase + page:         advice(fault.QuotaExceeded, false, 7),
			"a day is taken at " + testBase + "/account/plan":                 advice(fault.QuotaExceeded, false, 0),
			"in 5400 seconds (1h30m0s)":                                       advice(fault.QuotaExceeded, false, 0),
			"in 5400 seconds, at " + clockTime(now.Now().Add(90*time.Minute)): advice(fault.RateLimited, false, 0),
			"No tool can be called until then. ":                              advice(fault.InvalidAPIKey, true, 0),
			"resumes it at " + testBase + page:                                advice(fault.InvalidAPIKey, true, 0),
			"changes the networks at " + testBase + page:                      advice(fault.InvalidAPIKey, false, 0),
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%v: %q does not say %q", header, got, want)
			}
		}
		if got := advice(fault.InvalidAPIKey, false, 0); strings.Contains(got, "No tool") {
			t.Errorf("%v, another network: %q", header, got)
		}
	}
}

// The hour of a reset is that of Paris, on both sides of a clock change.
func TestResetsInParis(t *testing.T) {
	t.Parallel()
	for instant, want := range map[string]string{
		"2026-11-22T23:00:00Z": "00:00:00 on 23 November 2026 (Europe/Paris)",
		"2026-07-01T22:00:00Z": "00:00:00 on 2 July 2026 (Europe/Paris)",
	} {
		at := testkit.Must(time.Parse(time.RFC3339, instant))(t)
		testkit.Want(t, clockTime(at), want, instant)
	}
}
