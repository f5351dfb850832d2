package api

import (
	"bytes"
	"net/netip"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/app/base/clock"
	"arpent/app/base/fault"
	"arpent/auth/apikey"
	"arpent/billing"
	"arpent/billing/meter"
)

// pass is what the gate found out about a call: who calls, and what their limits say.
type pass struct {
	key     *apikey.Entry // nil for an anonymous client
	verdict meter.Verdict
}

// admit is the gate: authenticate (401), then rate and quota (429). What comes after it is validated, looked up
// and answered by the operation. The pass is good for the headers even when the call is refused.
func (s *Server) admit(c *fiber.Ctx, op *Operation, p *pass, now time.Time) error {
	if ask := askOf(c); ask != nil {
		return s.admitAsk(c, op, p, ask, now)
	}
	presented, inQuery := presentedKey(c)
	if presented == "" {
		if op.Keyless {
			return s.admitAnonymous(c, p)
		}
		return s.rejectAnonymous(c, p, errNoKey)
	}
	key, err := s.keys.Find(presented)
	if err != nil {
		return s.rejectAnonymous(c, p, errWrongKey)
	}
	if inQuery && key.RefuseInQuery {
		return s.rejectAnonymous(c, p, errKeyInQuery)
	}
	if key.Paused {
		return s.rejectAnonymous(c, p, errPaused)
	}
	if len(key.Networks) > 0 && !key.AllowedFrom(s.clientAddress(c)) {
		return s.rejectAnonymous(c, p, errNetwork)
	}
	return s.admitKey(c, op, p, key, now)
}

// admitAsk is the gate for a caller who was authenticated elsewhere. Assistants share addresses: a key that may not be
// used is not counted against the one it came from.
func (s *Server) admitAsk(c *fiber.Ctx, op *Operation, p *pass, ask *Ask, now time.Time) error {
	c.SetUserContext(ask.Context)
	p.verdict = meter.Verdict{Limit: meter.AnonymousPerMinute, QuotaReset: clock.Day(now).End().Unix()}
	if ask.Key.Paused {
		return errPaused
	}
	if len(ask.Key.Networks) > 0 && !ask.Key.AllowedFrom(s.clientAddress(ask.From)) {
		return errNetwork
	}
	return s.admitKey(c, op, p, ask.Key, now)
}

// admitKey holds the account of a key to its limits.
func (s *Server) admitKey(c *fiber.Ctx, op *Operation, p *pass, key *apikey.Entry, now time.Time) error {
	p.key = key
	p.verdict = s.meter.Admit(c.Context(), meter.Request{Account: key.Account, Key: key.ID, Class: op.Class,
		Limits: limitsOf(key), KeyPerDay: key.KeyPerDay, Cost: op.Cost, At: now})
	if err := refusal(&p.verdict); err != nil {
		return err
	}
	if p.verdict.Wait > 0 {
		time.Sleep(p.verdict.Wait)
	}
	return nil
}

func limitsOf(key *apikey.Entry) billing.Limits {
	return billing.Entitlement(key.Plan, billing.Own{PerMinute: key.PerMinute,
		EnrichmentsPerMinute: key.EnrichmentsPerMinute, PerDay: key.PerDay})
}

// AdmitFree holds what the day does not count, a message of an assistant that calls no tool, to the minute of its account.
func (s *Server) AdmitFree(key *apikey.Entry) error {
	p := s.meter.AdmitFree(key.Account, limitsOf(key))
	if !p.Admitted {
		return refusal(&meter.Verdict{Refusal: meter.Minute, Met: p.Met, RetryAfter: p.Wait})
	}
	if p.Wait > 0 {
		time.Sleep(p.Wait)
	}
	return nil
}

var (
	errNoKey = fault.New(fault.MissingAPIKey,
		"This endpoint needs an API key, in the X-API-Key header or as Authorization: Bearer.", nil)
	errWrongKey = fault.New(fault.InvalidAPIKey,
		"This API key is not known, or was revoked or has expired. Keys are listed in the account.", nil)
	errKeyInQuery = fault.New(fault.InvalidAPIKey,
		"The owner of this API key does not allow it in the URL. Send it in the X-API-Key header.", nil)
	errPaused = fault.New(fault.InvalidAPIKey,
		"The owner of this API key has paused it. It is accepted again once it is resumed in the account.", nil)
	errNetwork = fault.New(fault.InvalidAPIKey,
		"The owner of this API key allows it from certain networks only, and this address is in none of them.", nil)
)

func refusal(v *meter.Verdict) error {
	switch v.Refusal {
	case meter.None:
		return nil
	case meter.Minute:
		return &fault.Error{Code: fault.RateLimited, RetryAfter: v.RetryAfter,
			Message: "More than " + itoa(v.Met) + " requests within 60 seconds. Wait " + itoa(int(seconds(v.RetryAfter))) + " seconds, or take a plan with a higher limit."}
	case meter.KeyDay:
		return &fault.Error{Code: fault.QuotaExceeded, RetryAfter: v.RetryAfter,
			Message: "This API key has used the " + itoa(v.Met) + " requests a day that its owner allows it, although the account may have more left. " +
				"The count starts anew at midnight, Europe/Paris."}
	default:
		return &fault.Error{Code: fault.QuotaExceeded, RetryAfter: v.RetryAfter,
			Message: "The " + itoa(v.QuotaLimit) + " requests of today are used. The quota starts anew at midnight, Europe/Paris."}
	}
}

// admitAnonymous lets a call without a key through to an operation that needs none.
func (s *Server) admitAnonymous(c *fiber.Ctx, p *pass) error {
	passage := s.anonymous.Admit(s.clientAddress(c))
	p.verdict = meter.Verdict{Limit: meter.AnonymousPerMinute, Remaining: passage.Remaining, ResetAfter: passage.Reset,
		QuotaReset: clock.Day(s.clock.Now()).End().Unix()}
	if passage.Admitted {
		return nil
	}
	return &fault.Error{Code: fault.RateLimited, RetryAfter: passage.Wait,
		Message: "More than " + itoa(meter.AnonymousPerMinute) + " requests without a valid API key from this address within 60 seconds."}
}

// rejectAnonymous counts a failed attempt against the address it came from, and says so instead once there were
// too many.
func (s *Server) rejectAnonymous(c *fiber.Ctx, p *pass, why error) error {
	if err := s.admitAnonymous(c, p); err != nil {
		return err
	}
	return why
}

// presentedKey finds the key of a call: the first of X-API-Key, Authorization: Bearer and api_key= that is not
// empty.
func presentedKey(c *fiber.Ctx) (key string, inQuery bool) {
	if v := c.Request().Header.Peek("X-Api-Key"); len(v) > 0 {
		return unsafeString(v), false
	}
	if v := bearer(c.Request().Header.Peek(fiber.HeaderAuthorization)); len(v) > 0 {
		return unsafeString(v), false
	}
	if len(c.Request().URI().QueryString()) == 0 {
		return "", false
	}
	return unsafeString(c.Context().QueryArgs().Peek("api_key")), true
}

func bearer(header []byte) []byte {
	const scheme = "bearer "
	if len(header) < len(scheme) || !bytes.EqualFold(header[:len(scheme)], []byte(scheme)) {
		return nil
	}
	return bytes.TrimSpace(header[len(scheme):])
}

// clientAddress is the address of whoever calls: the peer itself, or behind trusted proxies the last address of
// X-Forwarded-For that is not one of them. Addresses further left are whatever the caller wrote there.
func (s *Server) clientAddress(c *fiber.Ctx) netip.Addr {
	peer, ok := netip.AddrFromSlice(remoteIP(c))
	if !ok {
		return netip.Addr{}
	}
	peer = peer.Unmap()
	if !s.trusted(peer) {
		if s.untrusted != nil && private(peer) && len(c.Request().Header.Peek(fiber.HeaderXForwardedFor)) > 0 {
			s.untrusted(peer)
		}
		return peer
	}
	forwarded := c.Request().Header.PeekAll(fiber.HeaderXForwardedFor)
	for i := len(forwarded) - 1; i >= 0; i-- {
		parts := bytes.Split(forwarded[i], []byte(","))
		for j := len(parts) - 1; j >= 0; j-- {
			addr, err := netip.ParseAddr(string(bytes.TrimSpace(parts[j])))
			if err != nil {
				return peer
			}
			if addr = addr.Unmap(); !s.trusted(addr) {
				return addr
			}
			peer = addr
		}
	}
	return peer
}

// shared is what providers and clusters give to machines of their own (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")

// private reports whether an address is more likely a proxy's than a caller's who makes headers up.
func private(a netip.Addr) bool {
	return a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || shared.Contains(a)
}

func (s *Server) trusted(a netip.Addr) bool {
	for _, p := range s.proxies {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
