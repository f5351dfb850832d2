package view

import (
	"strings"
	"testing"
	"time"

	"arpent/web"
)

// Series too small for a line of their own are summed, not left out.
func TestGatherKeepsEveryRequest(t *testing.T) {
	t.Parallel()
	var all []Series
	var sum int64
	for i := range int64(9) {
		all = append(all, Series{Name: string(rune('a' + i)), Days: []int64{i, 2 * i}})
		sum += 3 * i
	}
	got := Gather(all, "rest")
	if len(got) != maxSeries || got[0].Name != "i" || got[maxSeries-1].Name != "rest" {
		t.Fatalf("%+v", got)
	}
	chart := Chart{Days: make([]time.Time, 2), Series: got}
	if chart.Total() != sum || all[0].Days[1] != 0 || all[8].Days[1] != 16 {
		t.Errorf("%d of %d requests, or the argument was changed", chart.Total(), sum)
	}
	if few := Gather(all[:maxSeries], "rest"); len(few) != maxSeries || few[maxSeries-1].Name != "a" {
		t.Errorf("%+v", few)
	}
}

// The scale ends above the highest bar, at a number whose half is whole, and wastes little of the height.
func TestChartScale(t *testing.T) {
	t.Parallel()
	for most, want := range map[int64]int64{0: 2, 1: 2, 3: 4, 7: 8, 9: 10, 11: 12, 21: 24, 99: 100, 101: 120, 227: 240, 25_000: 30_000, 1 << 40: 1_200_000_000_000} {
		chart := Chart{Days: make([]time.Time, 1), Series: []Series{{Days: []int64{most}}}}
		if got := chart.top(); got != want || got%2 != 0 {
			t.Errorf("up to %d: %d, want %d", most, got, want)
		}
	}
}

// The parts of a bar stand on each other without a gap, and end at its height.
func TestPiecesAreStacked(t *testing.T) {
	t.Parallel()
	chart := Chart{Days: make([]time.Time, 1), Series: []Series{{Days: []int64{6}}, {Days: []int64{0}}, {Days: []int64{2}}}}
	p := chart.segments(0)
	if len(p) != 2 || p[0].y != "25.000%" || p[0].height != "75.000%" || p[1].y != "0.000%" || p[1].height != "25.000%" || p[1].class != "s2" {
		t.Errorf("%+v", p)
	}
}

// Numbers are formatted in the usual way of the language.
func TestWords(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][2]string{1: {"1re", "1st"}, 2: {"2e", "2nd"}, 11: {"11e", "11th"}, 13: {"13e", "13th"}, 23: {"23e", "23rd"},
		61: {"61e", "61st"}, 112: {"112e", "112th"}, 2001: {"2\u202f001e", "2,001st"}} {
		if got := [2]string{Ordinal(web.French, n), Ordinal(web.English, n)}; got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	for _, c := range []struct {
		got, want string
	}{
		{Requests(web.French, 0), "0\u00a0requête"}, {Requests(web.English, 0), "0 requests"}, {Requests(web.French, 1), "1\u00a0requête"},
		{Share(web.French, 0, 0), "0\u00a0%"}, {Share(web.French, 1, 1000), "<\u00a01\u00a0%"}, {Share(web.English, 2, 3), "67%"},
		{Bar{Used: 0, Limit: 10}.width(), "0"}, {Bar{Used: 1, Limit: 25_000}.width(), "1%"}, {Bar{Used: 12, Limit: 10}.width(), "100%"},
		{Bar{Used: 80, Limit: 100}.state(), "gauge near"}, {Bar{Used: 1, Limit: 0}.state(), "gauge full"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// A chart has a text alternative with its numbers.
func TestChartHasASummary(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	chart := Chart{Lang: web.English, Days: []time.Time{day.AddDate(0, 0, -1), day}, Series: []Series{{Days: []int64{1, 1500}}}}
	if got := chart.Summary(); got != "1,501 requests in 2 days; most in one day: 1,500, on 21\u00a0November\u00a02026" {
		t.Error(got)
	}
	if got := (Chart{Lang: web.French, Days: chart.Days}).Summary(); !strings.HasPrefix(got, "0\u00a0requête en 2\u00a0jours") {
		t.Error(got)
	}
}
