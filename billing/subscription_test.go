package billing_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"arpent/billing"
)

var (
	first = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	month = 31 * 24 * time.Hour
)

// readingAt is what Stripe said hours after the first.
func readingAt(hours int, s billing.Snapshot) billing.Reading {
	return billing.Reading{Snapshot: s, At: first.Add(time.Duration(hours) * time.Hour)}
}

// subscriptionReadings is one subscription's eight events: bought, paid, upgraded, to be downgraded, failed,
// failed again, paid at last, and to be ended with its period.
func subscriptionReadings() []billing.Reading {
	base := billing.Snapshot{SubscriptionID: "sub_1", CustomerID: "cus_1", Plan: billing.Standard, Status: billing.Incomplete, PeriodEnd: first.Add(month)}
	with := func(change func(*billing.Snapshot)) billing.Snapshot { s := base; change(&s); return s }
	failed := with(func(s *billing.Snapshot) {
		s.Status, s.Plan, s.NextPlan = billing.PastDue, billing.Pro, billing.Standard
		s.PeriodEnd, s.UnpaidSince = first.Add(2*month), first.Add(month)
	})
	return []billing.Reading{
		readingAt(0, base),
		readingAt(1, with(func(s *billing.Snapshot) { s.Status = billing.Active })),
		readingAt(2, with(func(s *billing.Snapshot) { s.Status, s.Plan = billing.Active, billing.Pro })),
		readingAt(3, with(func(s *billing.Snapshot) {
			s.Status, s.Plan, s.NextPlan = billing.Active, billing.Pro, billing.Standard
		})),
		readingAt(800, failed),
		readingAt(850, failed),
		readingAt(870, with(func(s *billing.Snapshot) { s.Status, s.PeriodEnd = billing.Active, first.Add(2*month) })),
		readingAt(900, with(func(s *billing.Snapshot) {
			s.Status, s.CancelAtPeriodEnd, s.PeriodEnd = billing.Active, true, first.Add(2*month)
		})),
	}
}

// applyReadings applies readings in their order, as the store does, and returns the notices.
func applyReadings(readings []billing.Reading) (billing.State, []billing.Notice) {
	var (
		s   billing.State
		all []billing.Notice
	)
	for _, r := range readings {
		after, newer := billing.Observe(s, r)
		if !newer {
			continue
		}
		after, notices := billing.Notices(s, after, r.At)
		s, all = after, append(all, notices...)
	}
	return s, all
}

func equalStates(a, b billing.State) bool {
	if (a.PastDueSince == nil) != (b.PastDueSince == nil) || a.PastDueSince != nil && !a.PastDueSince.Equal(*b.PastDueSince) {
		return false
	}
	a.PastDueSince, b.PastDueSince = nil, nil
	return a == b
}

// forEachPermutation calls do with every order of n things.
func forEachPermutation(n int, do func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var step func(int)
	step = func(k int) {
		if k == n {
			do(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			step(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	step(0)
}

// Whatever the order in which eight events arrive, and however often each is repeated, a customer ends where
// Stripe has them; the same holds for a life that is cut short at any of its events.
func TestEveryOrderOfEvents(t *testing.T) {
	t.Parallel()
	all := subscriptionReadings()
	want, notices := applyReadings(all)
	if !slices.Equal(notices, []billing.Notice{billing.NoticeStarted, billing.NoticeChanged, billing.NoticeChanging, billing.NoticeFailed, billing.NoticeRecovered, billing.NoticeEnding}) {
		t.Fatalf("in order the notices are %v", notices)
	}
	if plan, until := billing.InForce(want, billing.Free, first.Add(1000*time.Hour)); plan != billing.Standard || until == nil || !until.Equal(first.Add(2*month)) {
		t.Fatalf("in order ends on %s until %v", plan, until)
	}
	seed := uint64(time.Now().UnixNano())
	dice := rand.New(rand.NewPCG(seed, 1))
	orders := 0
	forEachPermutation(len(all), func(order []int) {
		orders++
		var sent []billing.Reading
		for _, i := range order {
			sent = append(sent, all[i])
			for range dice.IntN(5) { // once to five times, at once or late
				sent = append(sent, all[order[dice.IntN(slices.Index(order, i)+1)]])
			}
		}
		if got, _ := applyReadings(sent); !equalStates(got, want) {
			t.Fatalf("seed %d, order %v: %+v, want %+v", seed, order, got, want)
		}
	})
	if orders != 40_320 {
		t.Errorf("%d orders", orders)
	}
	for cut := 1; cut <= 6; cut++ {
		want, _ := applyReadings(all[:cut])
		forEachPermutation(cut, func(order []int) {
			var sent []billing.Reading
			for _, i := range order {
				sent = append(sent, all[i], all[order[dice.IntN(cut)]])
			}
			if got, _ := applyReadings(sent); !equalStates(got, want) {
				t.Fatalf("seed %d, first %d, order %v: %+v, want %+v", seed, cut, order, got, want)
			}
		})
	}
}

// A customer has what is paid for: no less while grace lasts, no more once it is
// over, and never less than the operator gave.
func TestInForce(t *testing.T) {
	t.Parallel()
	since := first
	state := func(status string, change func(*billing.State)) billing.State {
		s := billing.State{Snapshot: billing.Snapshot{SubscriptionID: "sub_1", CustomerID: "cus_1", Plan: billing.Pro, Status: status, PeriodEnd: first.Add(month)}}
		if change != nil {
			change(&s)
		}
		return s
	}
	due := func(s *billing.State) { s.PastDueSince = &since }
	for name, c := range map[string]struct {
		state   billing.State
		granted string
		at      time.Duration
		want    string
		until   time.Duration // 0: none
	}{
		"nothing bought":         {want: billing.Free},
		"granted":                {granted: billing.Standard, want: billing.Standard},
		"granted nonsense":       {granted: "gold", want: billing.Free},
		"active":                 {state: state(billing.Active, nil), want: billing.Pro},
		"trial":                  {state: state(billing.Trialing, nil), want: billing.Pro},
		"ends":                   {state: state(billing.Active, func(s *billing.State) { s.CancelAtPeriodEnd = true }), want: billing.Pro, until: month},
		"changes":                {state: state(billing.Active, func(s *billing.State) { s.NextPlan = billing.Standard }), want: billing.Pro, until: month},
		"past due":               {state: state(billing.PastDue, due), at: billing.Grace - time.Second, want: billing.Pro, until: billing.Grace},
		"grace over":             {state: state(billing.PastDue, due), at: billing.Grace, want: billing.Free},
		"grace over, granted":    {state: state(billing.PastDue, due), granted: billing.Standard, at: billing.Grace, want: billing.Standard},
		"past due, granted more": {state: state(billing.PastDue, func(s *billing.State) { due(s); s.Plan = billing.Standard }), granted: billing.Pro, want: billing.Pro},
		"active, granted less":   {state: state(billing.Active, nil), granted: billing.Standard, want: billing.Pro},
		"canceled":               {state: state(billing.Canceled, nil), want: billing.Free},
		"unpaid":                 {state: state(billing.Unpaid, nil), want: billing.Free},
		"incomplete":             {state: state(billing.Incomplete, nil), want: billing.Free},
		"incomplete expired":     {state: state(billing.IncompleteExpired, nil), want: billing.Free},
		"paused":                 {state: state(billing.Paused, nil), want: billing.Free},
		"unknown status":         {state: state("frozen", nil), want: billing.Free},
		"disputed":               {state: state(billing.Active, func(s *billing.State) { s.Disputed = true }), want: billing.Free},
		"disputed, granted":      {state: state(billing.Active, func(s *billing.State) { s.Disputed = true }), granted: billing.Pro, want: billing.Pro},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, until := billing.InForce(c.state, c.granted, first.Add(c.at))
			if got != c.want || (until == nil) != (c.until == 0) || until != nil && !until.Equal(first.Add(c.until)) {
				t.Errorf("%s until %v, want %s until %v", got, until, c.want, c.until)
			}
		})
	}
}

// A customer is notified of each turn once: nothing is notified again by an event
// that is repeated, and nothing is left out.
func TestNotices(t *testing.T) {
	t.Parallel()
	snap := func(id, status, plan string) billing.Snapshot {
		s := billing.Snapshot{SubscriptionID: id, CustomerID: "cus_1", Plan: plan, Status: status, PeriodEnd: first.Add(month)}
		if status == billing.PastDue {
			s.UnpaidSince = first
		}
		return s
	}
	disputed := snap("sub_1", billing.Active, billing.Pro)
	disputed.Disputed = true
	standard, pro := snap("sub_1", billing.Active, billing.Standard), snap("sub_1", billing.Active, billing.Pro)
	due, canceled := snap("sub_1", billing.PastDue, billing.Pro), snap("sub_1", billing.Canceled, billing.Pro)
	unpaid := snap("sub_1", billing.Unpaid, billing.Pro)
	ending, changing := pro, pro
	ending.CancelAtPeriodEnd, changing.NextPlan = true, billing.Standard
	const before, after = 24, 24*7 + 1
	for name, c := range map[string]struct {
		readings []billing.Reading
		want     []billing.Notice
	}{
		"bought":                 {[]billing.Reading{readingAt(1, snap("sub_1", billing.Incomplete, billing.Pro)), readingAt(2, pro)}, []billing.Notice{"started"}},
		"cancelled and kept":     {[]billing.Reading{readingAt(1, pro), readingAt(2, ending), readingAt(3, ending), readingAt(4, pro), readingAt(5, pro)}, []billing.Notice{"started", "ending", "kept"}},
		"cancelled":              {[]billing.Reading{readingAt(1, pro), readingAt(2, ending), readingAt(3, canceled)}, []billing.Notice{"started", "ending", "ended"}},
		"downgraded":             {[]billing.Reading{readingAt(1, pro), readingAt(2, changing), readingAt(3, standard)}, []billing.Notice{"started", "changing", "changed"}},
		"never paid":             {[]billing.Reading{readingAt(1, snap("sub_1", billing.Incomplete, billing.Pro)), readingAt(2, snap("sub_1", billing.IncompleteExpired, billing.Pro))}, nil},
		"changed":                {[]billing.Reading{readingAt(1, standard), readingAt(2, pro)}, []billing.Notice{"started", "changed"}},
		"failed and recovered":   {[]billing.Reading{readingAt(1, pro), readingAt(before, due), readingAt(before+1, due), readingAt(before+2, pro)}, []billing.Notice{"started", "failed", "recovered"}},
		"failed for good":        {[]billing.Reading{readingAt(1, pro), readingAt(before, due), readingAt(after, due), readingAt(after+1, due), readingAt(after+2, canceled)}, []billing.Notice{"started", "failed", "grace_over"}},
		"failed, then unpaid":    {[]billing.Reading{readingAt(1, pro), readingAt(before, due), readingAt(before+1, unpaid)}, []billing.Notice{"started", "failed", "ended"}},
		"recovered from unpaid":  {[]billing.Reading{readingAt(1, pro), readingAt(before, due), readingAt(after, unpaid), readingAt(after+1, pro)}, []billing.Notice{"started", "failed", "ended", "recovered"}},
		"recovered after grace":  {[]billing.Reading{readingAt(1, pro), readingAt(before, due), readingAt(after, due), readingAt(after+1, pro)}, []billing.Notice{"started", "failed", "grace_over", "recovered"}},
		"failure seen too late":  {[]billing.Reading{readingAt(1, pro), readingAt(after, due)}, []billing.Notice{"started", "grace_over"}},
		"ended":                  {[]billing.Reading{readingAt(1, pro), readingAt(2, canceled), readingAt(3, canceled)}, []billing.Notice{"started", "ended"}},
		"ended and bought again": {[]billing.Reading{readingAt(1, pro), readingAt(before, due), readingAt(after, canceled), readingAt(after+1, snap("sub_2", billing.Active, billing.Standard))}, []billing.Notice{"started", "failed", "ended", "started"}},
		"disputed and won":       {[]billing.Reading{readingAt(1, pro), readingAt(2, disputed), readingAt(3, pro)}, []billing.Notice{"started", "ended", "started"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, notices := applyReadings(c.readings); !slices.Equal(notices, c.want) {
				t.Errorf("notices %v, want %v", notices, c.want)
			}
		})
	}
}

// A second invoice that fails does not begin the time of grace anew,
// and an older reading brings nothing back.
func TestGraceBeginsOnce(t *testing.T) {
	t.Parallel()
	due := billing.Snapshot{SubscriptionID: "sub_1", CustomerID: "cus_1", Plan: billing.Pro, Status: billing.PastDue}
	s, _ := billing.Observe(billing.State{}, readingAt(10, due)) // Stripe does not say since when
	s, _ = billing.Observe(s, readingAt(20, due))
	if end, ok := s.GraceEnd(); !ok || !end.Equal(first.Add(10*time.Hour+billing.Grace)) {
		t.Errorf("grace ends at %v", end)
	}
	due.UnpaidSince = first
	s, _ = billing.Observe(s, readingAt(30, due))
	if end, _ := s.GraceEnd(); !end.Equal(first.Add(billing.Grace)) {
		t.Errorf("grace ends at %v", end)
	}
	paid := due
	paid.Status, paid.UnpaidSince = billing.Active, time.Time{}
	s, _ = billing.Observe(s, readingAt(40, paid))
	if s, newer := billing.Observe(s, readingAt(35, due)); newer || s.PastDueSince != nil || s.Status != billing.Active {
		t.Errorf("an older reading: %+v", s)
	}
}
