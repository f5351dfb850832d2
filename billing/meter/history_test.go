package meter_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"arpent/app/dev/testkit"
	"arpent/billing"
	"arpent/billing/meter"
	"arpent/billing/meter/usage"
	"arpent/internal/clock"
	"arpent/internal/ident"
)

func (b *fixture) rejections(a ident.AccountID) []usage.Rejection {
	b.t.Helper()
	rows := testkit.Must(usage.ReadRejections(b.t.Context(), b.pool, a, clock.Day(noon), clock.Day(noon), usage.Filter{}, 1_000))(b.t)
	for i := range rows {
		rows[i].FirstAt, rows[i].LastAt = rows[i].FirstAt.UTC(), rows[i].LastAt.UTC()
	}
	return rows
}

// The owner of rejected requests can see afterwards when, with which key and by which limit: one row a
// minute, however many requests were rejected in it, and none is missing.
func TestRejectionsAreRecorded(t *testing.T) {
	b, a, k := newAccount(t)
	second := b.secondKey(a, "second")
	other, _ := b.account("b")
	c := clock.At(noon)
	m := b.meter(c)
	l := billing.Limits{PerMinute: 4, EnrichmentsPerMinute: 1, PerDay: 5}
	ask := func(k ident.KeyID, class meter.Class, cap, times int) {
		for range times {
			v := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Class: class, Limits: l, KeyPerDay: cap, Cost: 1})
			status := 200
			if v.Rejection != meter.None {
				status = 429
			}
			m.Done(&v, meter.Answer{Status: status})
		}
	}
	ask(k, meter.Enrichments, 0, 3) // one admitted
	ask(second, meter.Standard, 1, 4)
	b.flush(m)
	c.Advance(20 * time.Second)
	ask(k, meter.Standard, 0, 102) // two admitted
	ask(k, meter.Standard, 0, 0)
	b.flush(m)
	c.Advance(30 * time.Second)
	ask(k, meter.Standard, 0, 10)
	c.Advance(30 * time.Second) // another minute
	ask(k, meter.Standard, 0, 7)
	b.flush(m)
	row := func(k ident.KeyID, name, met string, limit, first, last int, requests int64) usage.Rejection {
		at := func(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }
		return usage.Rejection{KeyID: k, KeyName: name, Met: met, Limit: limit, FirstAt: at(first), LastAt: at(last), Requests: requests}
	}
	want := []usage.Rejection{
		row(k, "a", "day", 5, 80, 80, 6),
		row(k, "a", "minute", 4, 20, 50, 110),
		row(k, "a", "enrichments", 1, 0, 0, 2),
		row(second, "second", "key", 1, 0, 0, 3),
	}
	if got := b.rejections(a); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := b.rejections(other); len(got) != 0 {
		t.Errorf("another account sees %+v", got)
	}
	today := clock.Day(noon)
	if got, err := usage.ReadRejections(t.Context(), b.pool, a, today, today, usage.Filter{}, 1); err != nil || len(got) != 1 || got[0].Met != "day" {
		t.Errorf("the latest: %+v, %v", got, err)
	}
	if got, err := usage.ReadRejections(t.Context(), b.pool, a, today, today, usage.Filter{Key: &second}, 9); err != nil || len(got) != 1 || got[0].Met != "key" {
		t.Errorf("of one key: %+v, %v", got, err)
	}
	if got, err := usage.ReadRejections(t.Context(), b.pool, a, today-1, today-1, usage.Filter{}, 9); err != nil || len(got) != 0 {
		t.Errorf("of the day before: %+v, %v", got, err)
	}
}

// While PostgreSQL is away what is refused is remembered in bounded
// memory, and the number of rejections stays right.
func TestRejectionsWhileAway(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	m := b.meter(c)
	l := billing.Limits{PerMinute: 1_000_000, EnrichmentsPerMinute: 1, PerDay: 1}
	sendRequest(m, a, k, l, 200)
	const minutes = 500
	for range minutes {
		sendRequest(m, a, k, l, 200)
		sendRequest(m, a, k, l, 200)
		c.Advance(time.Minute)
	}
	b.flush(m)
	rows := b.rejections(a)
	var n int64
	for _, r := range rows {
		n += r.Requests
	}
	if n != 2*minutes || len(rows) < 200 || len(rows) > 202 {
		t.Errorf("%d rejections in %d rows, want %d in about 200", n, len(rows), 2*minutes)
	}
	if last := rows[0].LastAt; !last.Equal(noon.Add((minutes - 1) * time.Minute)) {
		t.Errorf("the last at %v", last)
	}
}

// A batch of rejections whose acknowledgement is lost is not counted twice, and a key that is gone
// does not keep the others' from being written.
func TestRejectionsOnce(t *testing.T) {
	b, a, k := newAccount(t)
	gone := b.secondKey(a, "gone")
	m := b.meter(clock.At(noon))
	l := ampleLimits(0)
	sendRequest(m, a, k, l, 200)
	sendRequest(m, a, gone, l, 200)
	testkit.Exec(t, b.pool, `DELETE FROM account.api_key WHERE id = $1`, gone)
	testkit.NoError(t, meter.FlushUnacknowledged(t.Context(), m))
	sendRequest(m, a, k, l, 200)
	b.flush(m)
	if rows := b.rejections(a); len(rows) != 1 || rows[0].Requests != 2 {
		t.Errorf("got %+v", rows)
	}
	for _, minute := range []int{3, 4, 3, 4} { // the plan changes to and fro within a minute
		l = billing.Limits{PerMinute: minute, EnrichmentsPerMinute: 1, PerDay: 100}
		for range 5 {
			sendRequest(m, a, k, l, 200)
		}
	}
	b.flush(m)
	got := map[int]int64{}
	for _, r := range b.rejections(a) {
		if r.Met == "minute" {
			got[r.Limit] += r.Requests
		}
	}
	if want := map[int]int64{3: 2 + 5, 4: 4 + 5}; !reflect.DeepEqual(got, want) {
		t.Errorf("by limit: %v, want %v", got, want)
	}
}

// A refused request of a client that hammers costs the collector nothing.
func TestRejectionAllocatesNothing(t *testing.T) {
	b := openFixture(t)
	a, k := b.account("a")
	m := b.meter(clock.At(noon))
	sendRequest(m, a, k, ampleLimits(0), 200)
	if n := testing.AllocsPerRun(1_000, func() { sendRequest(m, a, k, ampleLimits(0), 200) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// The chart and the export show every day, by key and by operation, with parts that add up; a day without
// requests is a zero, and days are days of Paris.
func TestHistory(t *testing.T) {
	b, a, k := newAccount(t)
	formula := b.secondKey(a, `=HYPERLINK("http://x")`)
	other, otherKey := b.account("b")
	c := clock.At(time.Date(2026, 3, 27, 22, 59, 0, 0, time.UTC)) // 23:59 in Paris, two days before the clocks change
	m := b.meter(c)
	today := clock.Day(c.Now())
	l := ampleLimits(3)
	for _, status := range []int{200, 304, 404, 200, 200} { // the last one is refused
		sendRequest(m, a, k, l, status)
	}
	sendRequest(m, other, otherKey, ampleLimits(10), 200)
	c.Advance(2 * 24 * time.Hour) // 00:59 in summer time: another three days by the calendar
	v := m.Admit(t.Context(), meter.Request{Account: a, Key: formula, Limits: l, Cost: 1})
	m.Done(&v, meter.Answer{Operation: 1, Status: 200})
	b.flush(m)
	h, err := usage.ReadHistory(t.Context(), b.pool, a, today-1, today+3, usage.Filter{})
	want := usage.History{
		Days: []usage.Day{{Day: today - 1}, {Day: today, Requests: 5, Counted: 3, Refused: 1}, {Day: today + 1}, {Day: today + 2},
			{Day: today + 3, Requests: 1, Counted: 1}},
		Breakdown: usage.Breakdown{ByKey: []usage.Series{
			{ID: k, Name: "a", Days: []int64{0, 3, 0, 0, 0}, Requests: []int64{0, 5, 0, 0, 0}},
			{ID: formula, Name: `=HYPERLINK("http://x")`, Days: []int64{0, 0, 0, 0, 1}, Requests: []int64{0, 0, 0, 0, 1}},
		},
			ByOperation: []usage.Series{
				{Name: "get_commune", Days: []int64{0, 3, 0, 0, 0}, Requests: []int64{0, 5, 0, 0, 0}},
				{Name: "get_parcel", Days: []int64{0, 0, 0, 0, 1}, Requests: []int64{0, 0, 0, 0, 1}},
			}, ByOutcome: [3][]int64{{0, 3, 0, 0, 1}, {0, 2, 0, 0, 0}}, Operations: []string{"get_commune", "get_parcel"}},
	}
	if err != nil || !reflect.DeepEqual(h, want) {
		t.Errorf("got  %+v, %v\nwant %+v", h, err, want)
	}
	clientError := usage.ClientError
	for name, filter := range map[string]usage.Filter{"key": {Key: &formula}, "operation": {Operation: "get_parcel"}} {
		h, err := usage.ReadHistory(t.Context(), b.pool, a, today-1, today+3, filter)
		if err != nil || h.Days[1].Requests != 0 || h.Days[4].Requests != 1 || len(h.ByKey) != 1 || h.ByKey[0].ID != formula || len(h.Operations) != 2 {
			t.Errorf("by %s: %+v, %v", name, h, err)
		}
	}
	if h, err := usage.ReadHistory(t.Context(), b.pool, a, today, today, usage.Filter{Outcome: &clientError}); err != nil || h.Days[0].Requests != 2 || h.Days[0].Counted != 1 {
		t.Errorf("client errors: %+v, %v", h, err)
	}
	for _, days := range [][2]clock.Date{{today, today - 1}, {today, today + 400}} {
		if _, err := usage.ReadHistory(t.Context(), b.pool, a, days[0], days[1], usage.Filter{}); err == nil {
			t.Errorf("%v: no error", days)
		}
	}
	counts, err := usage.ReadKeyCounts(t.Context(), b.pool, a, today+29)
	if want := map[ident.KeyID]usage.KeyCount{k: {Last30: 5}, formula: {Last30: 1}}; err != nil || !reflect.DeepEqual(counts, want) {
		t.Errorf("counts %+v, %v, want %+v", counts, err, want)
	}
	counts, err = usage.ReadKeyCounts(t.Context(), b.pool, a, today+30)
	if want := map[ident.KeyID]usage.KeyCount{formula: {Last30: 1}}; err != nil || !reflect.DeepEqual(counts, want) {
		t.Errorf("a day later: counts %+v, %v", counts, err)
	}
	var out bytes.Buffer
	err = usage.WriteCSV(&out, t.Context(), b.pool, a, today, today+3, usage.Filter{}, func(o usage.Outcome) string { return fmt.Sprint(int(o)) })
	if want := "day,key,operation,status_class,requests,counted,outcome\n" +
		"2026-03-27,a,get_commune,2xx,2,2,0\n2026-03-27,a,get_commune,3xx,1,0,0\n2026-03-27,a,get_commune,4xx,2,1,1\n" +
		"2026-03-30,\"'=HYPERLINK(\"\"http://x\"\")\",get_parcel,2xx,1,1,0\n"; err != nil || out.String() != want {
		t.Errorf("export:\n%s%v, want\n%s", out.String(), err, want)
	}
}

// The page that shows what an account has used is right over all
// instances, and asking does not use anything up.
func TestUsage(t *testing.T) {
	t.Parallel()
	for name, shared := range map[string]bool{"one instance": false, "two that share": true} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t)
			a, k := b.account("a")
			c := clock.At(noon)
			asked := b.meter(c)
			serving := asked
			if shared {
				url := testkit.Redis(t)
				asked, serving = b.instance(url, c), b.instance(url, c)
			}
			l := billing.Limits{PerMinute: 10, EnrichmentsPerMinute: 5, PerDay: 100}
			want := meter.Usage{MinuteLimit: 10, EnrichmentsLimit: 5, DayLimit: 100, DayReset: noon.Add(11 * time.Hour), DayKnown: true}
			if got := asked.Usage(t.Context(), a, l); got != want {
				t.Errorf("at first: %+v", got)
			}
			sendRequest(serving, a, k, l, 200)
			v := serving.Admit(t.Context(), meter.Request{Account: a, Key: k, Class: meter.Enrichments, Limits: l, Cost: 1})
			serving.Done(&v, meter.Answer{Status: 200})
			want.MinuteUsed, want.EnrichmentsUsed, want.DayUsed = 2, 1, 2
			for range 20 {
				if got := asked.Usage(t.Context(), a, l); got != want {
					t.Fatalf("then: %+v, want %+v", got, want)
				}
			}
			if v, used := sendRequest(serving, a, k, l, 200); v.Rejection != meter.None || used != 3 {
				t.Errorf("after asking: %+v", v)
			}
			if !shared {
				c.Advance(time.Minute)
				want.MinuteUsed, want.EnrichmentsUsed, want.DayUsed = 0, 0, 3
				if got := asked.Usage(t.Context(), a, l); got != want {
					t.Errorf("a minute later: %+v", got)
				}
				b.flush(serving)
				if got := b.meter(c).Usage(t.Context(), a, l); got != want {
					t.Errorf("after a restart: %+v", got)
				}
			}
		})
	}
}

// Every list of days is as long as the range, whatever was used.
func TestHistoryOfNothing(t *testing.T) {
	b := newFixture(t)
	a, _ := b.account("a")
	h, err := usage.ReadHistory(t.Context(), b.pool, a, 20_000, 20_029, usage.Filter{})
	if err != nil || len(h.Days) != 30 || h.ByKey != nil || h.ByOperation != nil ||
		slices.ContainsFunc(h.Days, func(d usage.Day) bool { return d.Requests+d.Counted+d.Refused != 0 }) {
		t.Errorf("got %+v, %v", h, err)
	}
}

// The owner of a key sees its last requests, with what went wrong and nothing of another account; a client
// that hammers takes one line for each limit, with the number of its requests.
func TestRecentRequests(t *testing.T) {
	b, a, k := newAccount(t)
	other, otherKey := b.account("b")
	c := clock.At(noon)
	m := b.meter(c)
	l := billing.Limits{PerMinute: 2, EnrichmentsPerMinute: 1, PerDay: 100}
	answers := []meter.Answer{
		{Operation: 1, Status: 200, RequestID: [16]byte([]byte("00112233445566aa")), Took: 1500 * time.Microsecond},
		{Status: 400, Reason: "invalid_parameter", Parameter: "code", Took: 20 * time.Microsecond},
		{Status: 429}, {Status: 429}, {Status: 429},
		{Operation: 1, Status: 429},
	}
	for i, answer := range answers {
		v := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: l})
		if v.Admitted() != (answer.Status < 429) {
			t.Fatalf("request %d: %+v", i, v)
		}
		m.Done(&v, answer)
	}
	sendRequest(m, other, otherKey, l, 200)
	b.flush(m)
	const rows = `SELECT coalesce(string_agg(concat_ws(' ', key_id = $2, extract(epoch FROM at)::bigint - $3, operation, status, micros, request_id,
		reason, parameter, requests), E'\n' ORDER BY id DESC), '') FROM account.recent_request WHERE account_id = $1`
	var got string
	testkit.NoError(t, b.pool.QueryRow(t.Context(), rows, a, k, noon.Unix()).Scan(&got))
	if want := `t 0 get_parcel 429 0  minute 1
t 0 get_commune 429 0  minute 3
t 0 get_commune 400 20  invalid_parameter code 1
t 0 get_parcel 200 1500 00112233445566aa 1`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	list, latency, err := usage.ReadRequests(t.Context(), b.pool, a, noon.Add(-time.Hour), usage.Filter{}, 3)
	if err != nil || len(list) != 3 || list[0].Reason != "minute" || list[1].Requests != 3 || list[2].Parameter != "code" || list[2].KeyID != k ||
		latency != (usage.Latency{P50: 20 * time.Microsecond, P95: 1500 * time.Microsecond, Requests: 2}) {
		t.Errorf("%+v, %+v, %v", list, latency, err)
	}
	succeeded := usage.Succeeded
	if list, _, err := usage.ReadRequests(t.Context(), b.pool, a, noon.Add(-time.Hour), usage.Filter{Key: &k, Operation: "get_parcel", Outcome: &succeeded}, 9); err != nil ||
		len(list) != 1 || list[0].RequestID != "00112233445566aa" || list[0].Took != 1500*time.Microsecond {
		t.Errorf("chosen: %+v, %v", list, err)
	}
	if list, latency, err := usage.ReadRequests(t.Context(), b.pool, a, noon, usage.Filter{}, 9); err != nil || list != nil || latency.Requests != 0 {
		t.Errorf("after them: %+v, %+v, %v", list, latency, err)
	}
	testkit.Exec(t, b.pool, `DELETE FROM account.account WHERE id = $1`, a)
	if n := testkit.Count(t, b.pool, `SELECT count(*) FROM account.recent_request WHERE account_id <> $1`, other) +
		testkit.Count(t, b.pool, `SELECT count(*) FROM account.usage_hour WHERE account_id <> $1`, other); n != 0 {
		t.Errorf("%d rows are left of a deleted account", n)
	}
}

// The list takes little memory while PostgreSQL is away, and few rows however much is asked: the last
// requests are in it.
func TestRecentRequestsAreFew(t *testing.T) {
	b, a, k := newAccount(t)
	m := b.meter(clock.At(noon))
	send := func(from, to int) {
		for i := from; i < to; i++ {
			v := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: ampleLimits(100_000)})
			m.Done(&v, meter.Answer{Status: 200, RequestID: [16]byte([]byte(fmt.Sprintf("%016d", i)))})
		}
	}
	count := func() int { return testkit.Count(t, b.pool, `SELECT count(*) FROM account.recent_request`) }
	send(0, 10)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Flush(gone); err == nil {
		t.Fatal("a flush without a database succeeds")
	}
	send(10, 400)
	b.flush(m)
	if n := count(); n != 110 {
		t.Errorf("%d rows, want 110: those of the batch that failed and the last 100", n)
	}
	for i := 400; i < 3000; i += 100 {
		send(i, i+100)
		b.flush(m)
	}
	if n := count(); n < 1000 || n > 2000 {
		t.Errorf("%d rows, want 1000 to 2000", n)
	}
	testkit.WantCount(t, b.pool, 1000, "of the last 1000 requests are listed", `SELECT count(*) FROM (SELECT request_id FROM account.recent_request WHERE account_id = $1
		ORDER BY id DESC LIMIT 1000) r WHERE request_id >= '0000000000002000'`, a)
}

// A request counts in the hour it arrived in, also where it is written later.
func TestUsageByHour(t *testing.T) {
	b, a, k := newAccount(t)
	c := clock.At(noon)
	m := b.meter(c)
	for _, hour := range []int{2, 1, 0, 3} {
		for range hour {
			sendRequest(m, a, k, ampleLimits(100), 200)
		}
		c.Advance(time.Hour)
	}
	v := m.Admit(t.Context(), meter.Request{Account: a, Key: k, Limits: ampleLimits(100), Cost: 1})
	c.Advance(24 * time.Hour)
	sendRequest(m, a, k, ampleLimits(100), 404) // the next day
	m.Done(&v, meter.Answer{Status: 200})       // of the day before
	b.flush(m)
	var got string
	testkit.NoError(t, b.pool.QueryRow(t.Context(), `SELECT string_agg(concat_ws(' ', (extract(epoch FROM hour - $2) / 3600)::int, status_class, requests), ', '
		ORDER BY hour) FROM account.usage_hour WHERE account_id = $1`, a, noon.Truncate(time.Hour)).Scan(&got))
	if want := "0 2 2, 1 2 1, 3 2 3, 4 2 1, 28 4 1"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	h, err := usage.ReadHours(t.Context(), b.pool, a, noon.Add(time.Hour), noon.Add(5*time.Hour), usage.Filter{})
	if want := (usage.Breakdown{ByKey: []usage.Series{{ID: k, Name: "a", Requests: []int64{1, 0, 3, 1}}},
		ByOperation: []usage.Series{{Name: "get_commune", Requests: []int64{1, 0, 3, 1}}},
		ByOutcome:   [3][]int64{{1, 0, 3, 1}}, Operations: []string{"get_commune"}}); err != nil || !reflect.DeepEqual(h.Breakdown, want) || len(h.Starts) != 4 {
		t.Errorf("got %+v, %v", h, err)
	}
	if _, err := usage.ReadHours(t.Context(), b.pool, a, noon, noon, usage.Filter{}); err == nil {
		t.Error("no hours: no error")
	}
	testkit.WantCount(t, b.pool, 8, "requests by day", `SELECT sum(requests)::int FROM account.usage WHERE account_id = $1`, a)
}
