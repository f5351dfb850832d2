package accountapi

import (
	"context"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"arpent/api"
	"arpent/auth/apikey"
	"arpent/auth/management"
	"arpent/auth/member"
	"arpent/billing"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/internal/fault"
	"arpent/internal/ident"
)

// operation is an operation: its route and its part of the document.
type operation struct {
	name, path, summary, description string
	scope                            management.Scope
	params                           []api.Param
	result                           any // zero value of what it answers
	run                              func(s *Server, ctx context.Context, g management.Grant,
		c *fiber.Ctx) (any, error)
}

const dayPattern = `^\d{4}-\d{2}-\d{2}$`

var operations = []operation{
	{name: "read_usage", path: "/usage", summary: "Usage by day", scope: management.ReadUsage,
		description: "Requests of the account by day, key, operation and class of status, as in the file " +
			"of the page of the usage.",
		params: []api.Param{
			{Name: "from", In: "query", Type: "string", Pattern: dayPattern, Example: "2026-11-01",
				Description: "First day, in Europe/Paris. Without it, the period is of 30 days."},
			{Name: "to", In: "query", Type: "string", Pattern: dayPattern, Example: "2026-11-21",
				Description: "Last day, included. Without it, today. A period has 400 days at most."},
		},
		result: Usage{}, run: (*Server).readUsage},
	{name: "list_keys", path: "/keys", summary: "API keys in force", scope: management.ReadKeys,
		description: "API keys of the account that are neither revoked nor expired, those of assistants " +
			"included. Their secrets are not stored. Who made a key is shown to tokens with " +
			"organisation:read.",
		result: Keys{}, run: (*Server).listKeys},
	{name: "get_organisation", path: "/organisation", summary: "Organisation",
		scope: management.ReadOrganisation,
		description: "Name, plan, limits, use of the quota and members of the organisation, or of the " +
			"account of a person.",
		result: Organisation{}, run: (*Server).getOrganisation},
}

// Usage is what an account did in a period.
type Usage struct {
	From string     `json:"from" format:"date" doc:"First day of the period, in Europe/Paris."`
	To   string     `json:"to" format:"date" doc:"Last day, included. Today's requests are in it up to a few seconds ago."`
	Rows []UsageRow `json:"rows" doc:"Ordered by day. A day, key or operation without requests has no row."`
}

// UsageRow is what was done on one day with one key and one operation.
type UsageRow struct {
	Day         string       `json:"day" format:"date"`
	KeyID       *ident.KeyID `json:"keyId" nullable:"true" doc:"Number of the key, revoked ones included; null: the console of the documentation."`
	KeyName     string       `json:"keyName"`
	Operation   string       `json:"operation" doc:"Name in the API, such as get_commune."`
	StatusClass string       `json:"statusClass" enum:"1xx,2xx,3xx,4xx,5xx"`
	Requests    int64        `json:"requests" doc:"Answered, rejected ones included."`
	Counted     int64        `json:"counted" doc:"Of these, against the quota of the day."`
}

// readUsage answers with the rows of a period.
func (s *Server) readUsage(ctx context.Context, g management.Grant, c *fiber.Ctx) (any, error) {
	today := clock.Day(s.o.Clock.Now())
	to, toOK := clock.ParseDay(c.Query("to"), today)
	from, fromOK := clock.ParseDay(c.Query("from"), to-29)
	switch {
	case !fromOK:
		return nil, fault.Invalid("from is %q; expected a day such as 2026-11-01",
			fault.Excerpt(c.Query("from"))).About("from")
	case !toOK:
		return nil, fault.Invalid("to is %q; expected a day such as 2026-11-21",
			fault.Excerpt(c.Query("to"))).About("to")
	case to < from || to-from >= usage.MaxDays:
		return nil, fault.Invalid("from must not be after to, and a period has %d days at most",
			usage.MaxDays).About("from")
	}
	out := Usage{From: from.String(), To: to.String(), Rows: []UsageRow{}}
	err := usage.EachRow(ctx, s.o.DB, g.Account, from, to, usage.Filter{}, func(r usage.Row) {
		row := UsageRow{Day: r.Day.String(), KeyName: r.Name, Operation: r.Operation,
			StatusClass: string('0'+byte(r.StatusClass)) + "xx", Requests: r.Requests, Counted: r.Counted}
		if r.Key != 0 {
			row.KeyID = &r.Key
		}
		out.Rows = append(out.Rows, row)
	})
	return out, err
}

// Keys are the keys of an account.
type Keys struct {
	Keys []Key `json:"keys" doc:"The oldest first."`
}

// Key is a key without its secret.
type Key struct {
	ID            ident.KeyID `json:"id"`
	Name          string      `json:"name"`
	Prefix        string      `json:"prefix" doc:"First 8 characters."`
	Last4         string      `json:"last4"`
	Kind          string      `json:"kind" enum:"integration,assistant" doc:"For a program, or for an assistant that was connected."`
	State         string      `json:"state" enum:"live,paused"`
	CreatedBy     *string     `json:"createdBy" nullable:"true" doc:"Address of the person who made it; null: not a member any more, not known, or the token lacks organisation:read."`
	CreatedAt     time.Time   `json:"createdAt"`
	LastUsedAt    *time.Time  `json:"lastUsedAt" nullable:"true" doc:"To a few seconds; null: never used."`
	ExpiresAt     *time.Time  `json:"expiresAt" nullable:"true" doc:"null: it does not expire."`
	RequestCount  int64       `json:"requestCount" doc:"Since it was made."`
	PerDay        *int        `json:"perDay" nullable:"true" doc:"Cap of requests a day of this key; null: only the quota of the account."`
	Networks      []string    `json:"networks" doc:"Where it may be used from, as CIDR ranges; empty: anywhere."`
	RefuseInQuery bool        `json:"refuseInQuery" doc:"It is refused in an address."`
}

// listKeys answers with the keys that are in force.
func (s *Server) listKeys(ctx context.Context, g management.Grant, _ *fiber.Ctx) (any, error) {
	list, err := s.o.Keys.List(ctx, g.Account)
	if err != nil {
		return nil, err
	}
	addresses := map[ident.AccountID]string{}
	if slices.Contains(g.Scopes, management.ReadOrganisation) { // who the members are
		people, err := s.listMembers(ctx, g)
		if err != nil {
			return nil, err
		}
		for _, m := range people {
			addresses[m.id] = m.Email
		}
	}
	out := Keys{Keys: []Key{}}
	for _, k := range list {
		state := k.State(s.o.Clock.Now())
		if state != apikey.StateLive && state != apikey.StatePaused {
			continue
		}
		shown := Key{ID: k.ID, Name: k.Name, Prefix: k.Prefix, Last4: k.Last4, Kind: string(k.Kind),
			State:     string(state),
			CreatedAt: k.CreatedAt.UTC(), LastUsedAt: inUTC(k.LastUsedAt), ExpiresAt: inUTC(k.ExpiresAt),
			RequestCount: k.RequestCount, PerDay: k.PerDay, Networks: []string{},
			RefuseInQuery: k.RefuseInQuery}
		if k.CreatedBy != nil && addresses[*k.CreatedBy] != "" {
			shown.CreatedBy = new(addresses[*k.CreatedBy])
		}
		for _, network := range k.Networks {
			shown.Networks = append(shown.Networks, network.String())
		}
		out.Keys = append(out.Keys, shown)
	}
	return out, nil
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	return new(t.UTC())
}

// Organisation is an organisation, or the account of a person.
type Organisation struct {
	ID      ident.AccountID `json:"id"`
	Name    *string         `json:"name" nullable:"true" doc:"null: the account of a person."`
	Plan    string          `json:"plan"`
	Limits  Limits          `json:"limits"`
	Quota   Quota           `json:"quota"`
	Members []Member        `json:"members" doc:"The first one first."`
}

// Limits are those of the account over all its keys.
type Limits struct {
	PerMinute            int `json:"perMinute" doc:"Requests in any 60 seconds."`
	EnrichmentsPerMinute int `json:"enrichmentsPerMinute" doc:"Reports of parcels in any 60 seconds."`
	PerDay               int `json:"perDay" doc:"Requests a day of Europe/Paris."`
}

// Quota is how much of the quota is used.
type Quota struct {
	Day      string    `json:"day" format:"date" doc:"Today, in Europe/Paris."`
	Today    *int      `json:"today" nullable:"true" doc:"Requests counted today; null: they cannot be read at the moment."`
	ResetsAt time.Time `json:"resetsAt" doc:"When the next day begins."`
	Month    *int64    `json:"month" nullable:"true" doc:"Requests counted since the first day of the month, today included; null as above."`
}

// Member is a person with a role.
type Member struct {
	Email string      `json:"email"`
	Role  member.Role `json:"role" enum:"owner,admin,developer,billing,reader"`
	Since *time.Time  `json:"since" nullable:"true" doc:"null: the account of a person."`

	id ident.AccountID
}

// getOrganisation answers with the account.
func (s *Server) getOrganisation(ctx context.Context, g management.Grant, _ *fiber.Ctx) (any, error) {
	limits := billing.Entitlement(g.Plan, billing.Own{PerMinute: g.PerMinute,
		EnrichmentsPerMinute: g.EnrichmentsPerMinute, PerDay: g.PerDay})
	today := clock.Day(s.o.Clock.Now())
	used := s.o.Meter.Usage(ctx, g.Account, limits)
	out := Organisation{ID: g.Account, Plan: g.Plan,
		Limits: Limits{limits.PerMinute, limits.EnrichmentsPerMinute, limits.PerDay},
		Quota:  Quota{Day: today.String(), ResetsAt: used.DayReset}}
	if g.Name != "" {
		out.Name = &g.Name
	}
	if used.DayKnown {
		first := today - clock.Date(today.Time().Day()-1)
		before, err := usage.ReadCounted(ctx, s.o.DB, g.Account, first, today)
		if err != nil {
			return nil, err
		}
		out.Quota.Today, out.Quota.Month = &used.DayUsed, new(before+int64(used.DayUsed))
	}
	var err error
	out.Members, err = s.listMembers(ctx, g)
	return out, err
}

// listMembers lists the members of an organisation, or the person whose account it is.
func (s *Server) listMembers(ctx context.Context, g management.Grant) ([]Member, error) {
	if g.Name == "" {
		return []Member{{Email: g.Email, Role: member.Owner, id: g.Account}}, nil
	}
	list, err := s.o.Accounts.Members(ctx, g.Account)
	out := make([]Member, 0, len(list))
	for _, m := range list {
		out = append(out, Member{Email: m.Email, Role: m.Role, Since: new(m.Since.UTC()), id: m.Person})
	}
	return out, err
}
