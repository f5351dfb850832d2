package api

import (
	"context"
	"net/netip"
	"time"

	"arpent/auth/apikey"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/internal/clock"
	"arpent/internal/fault"
)

var (
	errNoKey = fault.New(fault.MissingAPIKey,
		"This endpoint needs an API key, in the X-API-Key header or as Authorization: Bearer.", nil)
	errWrongKey = fault.New(fault.InvalidAPIKey,
		"This API key is unknown, revoked or expired. Your account page lists your keys.", nil)
	errManagementToken = fault.New(fault.InvalidAPIKey,
		"This is a management token, which reads the account below /account/v1. Data is read with an API key, "+
			"which begins with arp_.", nil)
	errKeyInQuery = fault.New(fault.InvalidAPIKey,
		"The owner of this API key does not allow it in the URL. Send it in the X-API-Key header.", nil)
	errPaused = fault.New(fault.InvalidAPIKey,
		"The owner of this API key has paused it. It is accepted again once it is resumed in the account.", nil)
	errNetwork = fault.New(fault.InvalidAPIKey,
		"The owner of this API key allows it from certain networks only, and this address is in none of them.", nil)
)

// admitCaller authorizes a caller (401), then checks its rate limit and quota (429). The admission in out
// is good for the headers of the answer even when the call is rejected.
func (s *Server) admitCaller(ctx context.Context, caller *Caller, op *Operation, out *Result,
	now time.Time) error {
	reason := caller.rejectionReason(op)
	switch {
	case reason == nil && caller.Key != nil && caller.Key.Probe:
		out.admission.decision = meter.Decision{Limit: meter.AnonymousPerMinute,
			QuotaReset: clock.Day(now).End().Unix()}
		return s.AdmitFree(caller.Key)
	case reason == nil && caller.Key != nil:
		return s.admitKey(ctx, caller.Key, op, out, now)
	}
	if caller.SharedAddress {
		out.admission.decision = meter.Decision{Limit: meter.AnonymousPerMinute,
			QuotaReset: clock.Day(now).End().Unix()}
		return reason
	}
	if err := s.admitAnonymous(caller.Address, &out.admission); err != nil {
		return err
	}
	if reason == nil && caller.Try != nil {
		return caller.Try(ctx)
	}
	return reason
}

// rejectionReason is why a caller may not call an operation, whatever the limits say; nil: it may.
func (c *Caller) rejectionReason(op *Operation) error {
	switch {
	case c.Reason != nil:
		return c.Reason
	case c.Key == nil && !op.Keyless && c.Try == nil:
		return errNoKey
	case c.Key == nil:
		return nil
	case c.Key.Paused:
		return errPaused
	case len(c.Key.Networks) > 0 && !c.Key.AllowedFrom(c.Address):
		return errNetwork
	}
	return nil
}

// admitKey holds the account of a key to its limits.
func (s *Server) admitKey(ctx context.Context, key *apikey.Entry, op *Operation, out *Result,
	now time.Time) error {
	a := &out.admission
	a.key = key
	a.decision = s.meter.Admit(ctx, meter.Request{Account: key.Account, Key: key.ID, Class: op.Class,
		Limits: limitsToday(key, now), KeyPerDay: key.KeyPerDay, Cost: op.Cost, At: now})
	if err := limitFault(&a.decision, key.Plan); err != nil {
		return err
	}
	if a.decision.Wait > 0 {
		time.Sleep(a.decision.Wait)
	}
	return nil
}

func limitsOf(key *apikey.Entry) billing.Limits {
	return billing.Entitlement(key.Plan, billing.Own{PerMinute: key.PerMinute,
		EnrichmentsPerMinute: key.EnrichmentsPerMinute, PerDay: key.PerDay})
}

// limitsToday adds the reserve to the limits of a key, once it is known what the days before today left of
// it.
func limitsToday(key *apikey.Entry, now time.Time) billing.Limits {
	l := limitsOf(key)
	if l.HasReserve = key.HasReserve; l.HasReserve && key.ReserveDay == clock.Day(now) {
		l.Reserve = key.ReserveLeft
	}
	return l
}

// AdmitFree applies the minute limit, but not the daily quota: for a message of an assistant that calls no
// tool.
func (s *Server) AdmitFree(key *apikey.Entry) error {
	v := s.meter.AdmitFree(key.Account, limitsOf(key))
	if err := limitFault(&v, key.Plan); err != nil {
		return err
	}
	if v.Wait > 0 {
		time.Sleep(v.Wait)
	}
	return nil
}

func formatSeconds(n int) string {
	if n == 1 {
		return "1 second"
	}
	return itoa(n) + " seconds"
}

func limitFault(v *meter.Decision, plan string) error {
	switch v.Rejection {
	case meter.None:
		return nil
	case meter.Minute:
		what := " requests"
		if v.MetEnrichments() {
			what = " reports"
		}
		way := ", or take a plan with a higher limit."
		if billing.Highest(plan) {
			way = ", or ask the operator of the service for a higher limit."
		}
		return &fault.Error{Code: fault.RateLimited, RetryAfter: v.RetryAfter,
			Message: "More than " + itoa(v.Met) + what + " within 60 seconds. Wait " +
				formatSeconds(int(roundUpSeconds(v.RetryAfter))) + way}
	case meter.KeyDay:
		return &fault.Error{Code: fault.QuotaExceeded, RetryAfter: v.RetryAfter,
			Message: "This API key has used the " + itoa(v.Met) +
				" requests a day that its owner allows it, although the account may have more left. " +
				"The count resets at midnight (Europe/Paris)."}
	default:
		used := " requests are used up."
		if v.Reserve > 0 {
			used = " requests are used up, and so is this month's reserve."
		}
		return &fault.Error{Code: fault.QuotaExceeded, RetryAfter: v.RetryAfter,
			Message: "Today's " + itoa(v.QuotaLimit) + used + " The quota resets at midnight (Europe/Paris)."}
	}
}

// admitAnonymous counts a call without a valid key against the address it came from.
func (s *Server) admitAnonymous(address netip.Addr, a *admission) error {
	a.decision = s.anonymous.Admit(address)
	a.decision.QuotaReset = clock.Day(s.clock.Now()).End().Unix()
	if a.decision.Admitted() {
		return nil
	}
	return &fault.Error{Code: fault.RateLimited, RetryAfter: a.decision.RetryAfter,
		Message: "More than " + itoa(meter.AnonymousPerMinute) +
			" requests without a valid API key from this address within 60 seconds."}
}
