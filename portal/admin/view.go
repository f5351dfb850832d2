package admin

import (
	"strings"
	"time"

	"arpent/auth"
	"arpent/auth/apikey"
	"arpent/billing"
	"arpent/billing/meter/usage"
	"arpent/internal/ident"
	"arpent/internal/jobs"
	"arpent/internal/mail"
	"arpent/internal/opendata/ingest"
	"arpent/portal/plan"
	"arpent/web"
)

// Holder is the view of an account, with the limits in force.
type Holder struct {
	ID                         ident.AccountID
	Name                       string // of an organisation; empty: the account of a person
	Email, Plan, Note          string
	PerMinute, Reports, PerDay int
	ConfirmedAt                *time.Time
	CreatedAt                  time.Time
}

// Related is a member of an organisation, or an organisation of which a person is a member.
type Related struct {
	ID         ident.AccountID
	Name, Role string
}

// describeHolder names an account.
func (h Holder) describeHolder() string {
	return auth.Account{Name: h.Name, Email: h.Email}.Title()
}

func viewAccount(a auth.Account) Holder {
	l := billing.Entitlement(a.Plan, billing.Own{PerMinute: a.Own.PerMinute,
		EnrichmentsPerMinute: a.Own.EnrichmentsPerMinute, PerDay: a.Own.PerDay})
	v := Holder{ID: a.ID, Name: a.Name, Email: a.Email, Plan: a.Plan, PerMinute: l.PerMinute, Reports: l.EnrichmentsPerMinute,
		PerDay: l.PerDay, ConfirmedAt: a.ConfirmedAt, CreatedAt: a.CreatedAt}
	if a.Own.Note != nil {
		v.Note = *a.Own.Note
	}
	return v
}

// Key is the view of a key: what the command line shows of it, and nothing of its secret.
type Key struct {
	ID                    ident.KeyID
	Name, Code            string
	State                 string // live, paused, expired or revoked
	Restrictions          string
	Acts                  []string // names of what can be done with it
	CreatedAt             time.Time
	ExpiresAt, LastUsedAt *time.Time
	Requests              int64
}

func viewKey(l web.Lang, k apikey.Key, now time.Time) Key {
	state := k.State(now)
	v := Key{ID: k.ID, Name: k.Name, Code: k.Prefix + "…" + k.Last4, State: string(state),
		Restrictions: describeRestrictions(l, k), CreatedAt: k.CreatedAt,
		ExpiresAt: k.ExpiresAt, LastUsedAt: k.LastUsedAt, Requests: k.RequestCount}
	for _, a := range []keyAct{pauseAct, resumeAct, revokeAct} {
		if a.isOffered(state) {
			v.Acts = append(v.Acts, a.name)
		}
	}
	return v
}

// describeRestrictions describes what the owner of a key allows it.
func describeRestrictions(l web.Lang, k apikey.Key) string {
	var parts []string
	if k.RefuseInQuery {
		parts = append(parts, l.Pick("pas dans les URL", "not in URLs"))
	}
	if k.PerDay != nil {
		parts = append(parts, l.Number(*k.PerDay)+l.Pick(" par jour", " per day"))
	}
	if len(k.Networks) > 0 {
		parts = append(parts, l.Pick("depuis ", "from ")+apikey.FormatNetworks(k.Networks))
	}
	if k.Replaces != nil {
		parts = append(parts, l.Pick("remplace ", "replaces ")+id(int64(*k.Replaces)))
	}
	return strings.Join(parts, ", ")
}

// Job is how many jobs of one kind are in the queue.
type Job = jobs.Count

// Rejected is how often an account met one limit today.
type Rejected = usage.Rejected

// Use is what was requested today with one key or of one operation.
type Use = usage.Series

// Mail is a mail of the queue, without its link.
type Mail = mail.Entry

// Source is a source that is loaded, or has files.
type Source struct {
	Name, Producer, State, Vintage, Problem string // Vintage empty: not known
	Rows, Rejected                          int64
	LoadedAt, CheckedAt                     *time.Time
	Loaded, Late                            bool
}

// viewSources are those that arpent sources lists without --all.
func viewSources(all []ingest.SourceStatus) (out []Source) {
	for _, s := range all {
		if s.State == ingest.NoFile {
			continue
		}
		v := Source{Name: s.Name, Producer: s.Producer, State: s.State, Problem: s.Problem, Rows: s.Rows,
			Rejected: s.Refused,
			LoadedAt: s.LoadedAt, CheckedAt: s.CheckedAt, Loaded: s.State == "loaded", Late: s.Late}
		if s.Vintage != nil {
			v.Vintage = *s.Vintage
		}
		out = append(out, v)
	}
	return out
}

// SignIn is the view of how the owner of an account signs in.
type SignIn struct {
	auth.Access
	labelProvider func(name string) string
}

// Subscription is what an account has bought.
type Subscription struct {
	Granted      string // plan that the operator granted; empty: none
	Customer     string // id at Stripe; empty: the account has never begun to pay
	IsSold       bool   // plans are sold on this server
	IsStripeDown bool   // it did not answer
	Bought       *billing.Snapshot
	Extra        string // id of a subscription that is paid in addition; empty: none
	Invoices     []plan.InvoiceLine
}

// Rejections is when an account met a limit on a day.
type Rejections struct {
	Frame            web.Frame
	Account          Holder
	Day, First, Last string // the day shown, and those that can be
	Lines            []usage.Rejection
}

// KeySearch is a search for a key. It never has the text that was looked for.
type KeySearch struct {
	Frame            web.Frame
	IsAsked, IsWrong bool
	Found            []FoundKey
}

// FoundKey is a key with its account.
type FoundKey struct {
	Key
	Account ident.AccountID
	Email   string
}
