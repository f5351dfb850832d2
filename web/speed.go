package web

import "time"

// Speed is how fast an operation answers over HTTP, in words.
type Speed struct{ Median, P95 string }

// Speed returns how fast an operation answered on the newest day that this server measured; nil: none is
// known. All pages that give a speed take it from here.
func (f Frame) Speed(operation string) *Speed {
	if f.site.o.Speed == nil {
		return nil
	}
	median, p95 := f.site.o.Speed(operation)
	if median == 0 {
		return nil
	}
	return &Speed{f.Lang.milliseconds(median), f.Lang.milliseconds(p95)}
}

// Text says both in one line.
func (s *Speed) Text(l Lang) string {
	return l.Pick("médiane ", "median ") + s.Median + l.Pick(", 95\u00a0% sous ", ", 95% within ") + s.P95
}

// milliseconds formats a duration to the millisecond, as the measurements are no finer.
func (l Lang) milliseconds(d time.Duration) string {
	return l.Number(int(d.Round(time.Millisecond).Milliseconds())) + l.Pick("\u00a0ms", " ms")
}
