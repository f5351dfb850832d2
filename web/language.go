package web

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	tags "golang.org/x/text/language"

	"arpent/billing"
	"arpent/internal/clock"
)

// Lang is a language that pages are written in.
type Lang string

// The supported languages.
const (
	French  Lang = "fr"
	English Lang = "en"
)

// LanguageCookie stores the language that a visitor chose.
const LanguageCookie = "arpent-language"

// chooseLanguage returns the language of ?lang=, else of the cookie, else the supported one that the
// browser prefers (RFC 9110 12.5.4), else French.
func chooseLanguage(asked, chosen, accepted string) Lang {
	accept, _, _ := tags.ParseAcceptLanguage(accepted) // one that is not well-formed names none
	wanted := []string{asked, chosen}
	for _, tag := range accept {
		wanted = append(wanted, tag.String())
	}
	for _, l := range wanted {
		switch main, _, _ := strings.Cut(strings.ToLower(l), "-"); Lang(main) {
		case French:
			return French
		case English:
			return English
		}
	}
	return French
}

// Pick returns the text in the language.
func (l Lang) Pick(french, english string) string {
	if l == English {
		return english
	}
	return french
}

// Texts are the texts of codes, in French and in English.
type Texts map[string][2]string

// Of returns the text of a code; empty: it has none.
func (t Texts) Of(l Lang, code string) string { return l.Pick(t[code][0], t[code][1]) }

// NameOf returns the text of a code, or the code itself.
func (t Texts) NameOf(l Lang, code string) string {
	if _, ok := t[code]; !ok {
		return code
	}
	return t.Of(l, code)
}

// Number formats n in the reader's format: 34 875 in French (a narrow no-break space), 34,875 in English.
func (l Lang) Number(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + l.Pick("\u202f", ",") + digits[i:]
	}
	return digits
}

var months = [...]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
	"octobre",
	"novembre", "décembre"}

// Day formats the day of t in Paris, with no-break spaces.
func (l Lang) Day(t time.Time) string {
	t = t.In(clock.Paris)
	if l == English {
		return t.Format("2\u00a0January\u00a02006")
	}
	first := strconv.Itoa(t.Day())
	if t.Day() == 1 {
		first = "1er"
	}
	return first + "\u00a0" + months[t.Month()-1] + "\u00a0" + strconv.Itoa(t.Year())
}

// Time formats the time of day of t in Paris, to the second: 11:42:07.
func (l Lang) Time(t time.Time) string { return t.In(clock.Paris).Format("15:04:05") }

// HourOfDay is the hour of t in Paris, 0 to 23.
func HourOfDay(t time.Time) int { return t.In(clock.Paris).Hour() }

// Hour formats the hour of t in Paris: 14 h, 14:00.
func (l Lang) Hour(t time.Time) string {
	hour := strconv.Itoa(HourOfDay(t))
	return l.Pick(hour+"\u00a0h", hour+":00")
}

// DateTime formats the day and the minute of t in Paris: 21 novembre 2026 à 11:42.
func (l Lang) DateTime(t time.Time) string {
	return l.Day(t) + l.Pick(" à\u00a0", " at\u00a0") + t.In(clock.Paris).Format("15:04")
}

// Ago formats the time since t approximately; after a month, the day.
func (l Lang) Ago(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < time.Minute:
		return l.Pick("à l’instant", "just now")
	case d < time.Hour:
		return l.formatAgo(int(d/time.Minute), "minute", "minute")
	case d < 48*time.Hour:
		return l.formatAgo(int(d/time.Hour), "heure", "hour")
	case d < 31*24*time.Hour:
		return l.formatAgo(int(d/(24*time.Hour)), "jour", "day")
	}
	return l.Pick("le ", "on ") + l.Day(t)
}

func (l Lang) formatAgo(n int, french, english string) string {
	count := strconv.Itoa(n)
	return l.Pick("il y a "+count+"\u00a0"+l.pluralNoun(n, french), count+" "+l.pluralNoun(n, english)+" ago")
}

// Count formats a number with its noun: 1 clé, 2 clés; 1 key, 2 keys. In French 0 is singular.
func (l Lang) Count(n int, french, english string) string {
	return l.Number(n) + l.Pick("\u00a0", " ") + l.pluralNoun(n, l.Pick(french, english))
}

func (l Lang) pluralNoun(n int, noun string) string {
	if n == 1 || l != English && n == 0 {
		return noun
	}
	if l != English && strings.HasSuffix(noun, "eu") {
		return noun + "x"
	}
	return noun + "s"
}

// Vintage formats a producer's date: a day, a month or a year, or any other text
// as it is; or two with a dash between them.
func (l Lang) Vintage(v string) string {
	if oldest, newest, ok := strings.Cut(v, " – "); ok {
		return l.Vintage(oldest) + " – " + l.Vintage(newest)
	}
	if t, err := time.ParseInLocation(time.DateOnly, v, clock.Paris); err == nil {
		return l.Day(t)
	}
	if v == "" || !utf8.ValidString(v) {
		return l.Pick("non connu", "not known")
	}
	return v
}

// De puts the French "de" before a name: d’Arpent, de Foncier.
func De(name string) string {
	if name != "" && strings.ContainsRune("AEIOUYÀÂÉÈÊËÎÏÔÛÜ", []rune(strings.ToUpper(name))[0]) {
		return "d’" + name
	}
	return "de " + name
}

// PlanName is the name of a plan on the pages.
func PlanName(l Lang, plan string) string {
	if plan == billing.Free {
		return l.Pick("Gratuite", billing.Title(plan))
	}
	return billing.Title(plan)
}

// Plan names a plan within a sentence: Standard, or the free plan.
func (l Lang) Plan(plan string) string {
	if plan == billing.Free {
		return l.Pick("l’offre gratuite", "the free plan")
	}
	return billing.Title(plan)
}

// Decimal formats a number in the reader's format: 0,95 or 0.95.
func (l Lang) Decimal(v float64) string {
	text := strconv.FormatFloat(v, 'f', -1, 64)
	text = strings.Replace(text, "-", "−", 1)
	if l != English {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}

// Signed formats a number with its sign, except 0.
func (l Lang) Signed(v float64) string {
	if v > 0 {
		return "+" + l.Decimal(v)
	}
	return l.Decimal(v)
}

// Percent formats a share: 95 % or 95%.
func (l Lang) Percent(share float64) string {
	return l.Decimal(float64(int(share*1000+0.5))/10) + l.Pick("\u00a0%", "%")
}

// Levels are the plural names of the kinds of territories.
var Levels = Texts{"commune": {"Communes", "Communes"}, "departement": {"Départements", "Départements"},
	"region": {"Régions", "Régions"}}

// ReportGroups are the groups of the report of a parcel, by the names that answers have for them.
var ReportGroups = Texts{"Addresses": {"Adresses", "Addresses"}, "Sales and energy": {"Ventes et énergie",
	"Sales and energy"},
	"Cadastre":  {"Cadastre", "Cadastre"},
	"Buildings": {"Bâtiments", "Buildings"},
	"Risks":     {"Risques", "Risks"}, "Planning": {"Urbanisme", "Planning"},
	"Land and nature":       {"Sols et nature", "Land and nature"},
	"Heritage and economy":  {"Patrimoine et économie", "Heritage and economy"},
	"Mobility and networks": {"Mobilité et réseaux", "Mobility and networks"},
	"Services":              {"Services", "Services"}, "Other": {"Autres", "Other"}}

// Price formats the monthly price of a plan.
func (l Lang) Price(p billing.Plan) string {
	if p.PriceEuros == 0 {
		return l.Pick("gratuit", "free")
	}
	return l.Pick(strconv.Itoa(p.PriceEuros)+"\u00a0€", "€"+strconv.Itoa(p.PriceEuros))
}

// YearlyPrice is what a year of a plan costs, in cents, and how much less that is than twelve months at the
// price of one.
func (l Lang) YearlyPrice(monthEuros int, cents int64) string {
	text := l.Pick(l.Euros(cents)+" HT par an", l.Euros(cents)+" per year, excl. VAT")
	if saved := int64(monthEuros)*1200 - cents; saved > 0 {
		text += l.Pick(", soit "+l.Euros(saved)+" de moins que douze mensualités",
			", "+l.Euros(saved)+" less than twelve monthly payments")
	}
	return text
}

// Euros formats an amount of cents: 190 €, 22,80 € in French; €190, €22.80 in English.
func (l Lang) Euros(cents int64) string {
	amount := l.Number(int(cents / 100))
	if rest := cents % 100; rest > 0 {
		amount += l.Pick(",", ".") + strconv.FormatInt(rest+100, 10)[1:]
	}
	return l.Pick(amount+"\u00a0€", "€"+amount)
}

// Prices is what the plans cost, and how many requests a day each gives, in a sentence.
func (l Lang) Prices(plans []billing.Plan) string {
	text := ""
	for _, p := range plans {
		if p.PriceEuros == 0 {
			text += l.Pick("Gratuit jusqu’à ", "Free up to ") + l.Count(p.PerDay, "requête", "request") +
				l.Pick(" par jour", " per day")
		} else {
			day := l.Number(p.PerDay)
			text += ", " + l.Price(p) + l.Pick(" par mois pour "+day+" par jour", " a month for "+day+" a day")
		}
	}
	return text + "."
}

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

// Text says both in one line; one alone where they are alike, as after few measurements.
func (s *Speed) Text(l Lang) string {
	text := l.Pick("médiane ", "median ") + s.Median
	if s.P95 != s.Median {
		text += l.Pick(", 95\u00a0% sous ", ", 95% within ") + s.P95
	}
	return text
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
