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
	return &Speed{f.Lang.FormatMilliseconds(median), f.Lang.FormatMilliseconds(p95)}
}

// Text says both in one line.
func (s *Speed) Text(l Lang) string {
	return l.Pick("médiane ", "median ") + s.Median + l.Pick(", 95\u00a0% sous ", ", 95% within ") + s.P95
}

// FormatMilliseconds formats a duration in milliseconds: to a hundredth below one, to a tenth below ten.
func (l Lang) FormatMilliseconds(d time.Duration) string {
	unit := l.Pick("\u00a0ms", " ms")
	switch {
	case d < time.Millisecond:
		return l.Decimal(float64(max(1, d.Round(10*time.Microsecond).Microseconds()/10))/100) + unit
	case d < 10*time.Millisecond:
		return l.Decimal(float64(d.Round(100*time.Microsecond).Microseconds()/100)/10) + unit
	}
	return l.Number(int(d.Round(time.Millisecond).Milliseconds())) + unit
}
