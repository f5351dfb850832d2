package elections

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

// Mayor is a mayor in the register.
type Mayor struct {
	lastName, firstName         string
	gender, occupation          *string
	birthYear                   *int
	mandateStart, functionStart *time.Time
}

// MayorInOffice is the mayor of a commune according to the register.
type MayorInOffice struct {
	stats.Envelope
	FirstName     string     `json:"firstName" doc:"First name." example:"Daniel"`
	LastName      string     `json:"lastName" doc:"Last name." example:"BOULON"`
	Gender        *string    `json:"gender" doc:"M or F." example:"M"`
	BirthYear     *int       `json:"birthYear" doc:"Year of birth. The date is not kept." example:"1951"`
	Occupation    *string    `json:"occupation" doc:"Socio-professional category." example:"Ancien cadre"`
	MandateStart  *string    `json:"mandateStart" doc:"Day on which the mandate in the council began." example:"2020-05-18"`
	FunctionStart *string    `json:"functionStart" doc:"Day on which the office of mayor began in the mandate that the file has: a mayor who was elected again has held it for longer." example:"2020-05-26"`
	Mandate       *string    `json:"mandate" doc:"Years of the municipal elections at the start and end of the mandate." example:"2020-2026"`
	MandateOver   *bool      `json:"mandateOver" doc:"true: municipal elections took place after this mandate and the loaded register is older, so somebody else may be in office; null if not known."`
	List          *MayorList `json:"list" doc:"The list that won the municipal election of this mandate; null unless it is known to be the mayor's."`
	AsOf          *string    `json:"asOf" doc:"Date of the register: the day on which the newest mayor in it took office." example:"2022-01-27"`
	Note          string     `json:"note" doc:"What functionStart is, and whether municipal elections are newer than the register."`
	LaterVote     string     `json:"laterVote,omitempty" doc:"Only of mandates that are over: where the result of the vote that followed is." example:"election.municipal has the vote of 2026."`
}

// MayorList is the list that a mayor was elected on.
type MayorList struct {
	Nuance *string `json:"nuance" doc:"Political label assigned by the ministry, as its code; null where it assigned none." example:"LDVG"`
	Label  *string `json:"label" doc:"Title of the list." example:"TOUS AMBARROIS"`
}

// termNote is the note on the term of a mayor.
const termNote = "functionStart is the first day of the present term as mayor: the register does not say who was " +
	"mayor before it."

// noBirths is added to it where the file that is loaded has no dates of birth, as that of the starter data.
const noBirths = " The loaded copy of the register has no dates of birth."

const (
	mayorSource  = "mayors"
	selectMayors = `SELECT commune, last_name, first_name, gender, birth_year, occupation, mandate_start, function_start FROM geo.mayor`
)

func readMayors(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	all := map[string]Mayor{}
	rows, _ := tx.Query(ctx, selectMayors) // the rows have its error too
	var code string
	var m Mayor
	_, err := pgx.ForEachRow(rows, []any{&code, &m.lastName, &m.firstName, &m.gender, &m.birthYear,
		&m.occupation, &m.mandateStart, &m.functionStart}, func() error {
		all[code] = m
		return nil
	})
	officeHolders.Put(d, all)
	return fault.Wrap("read the mayors", err)
}

var officeHolders stats.Slot[map[string]Mayor]

func mayorInOffice(d *stats.Data, t *stats.Territory) *MayorInOffice {
	m, there := officeHolders.Of(d)[t.Code]
	from := d.Loads[mayorSource]
	if !there || from == nil || !t.IsLocal() {
		return nil
	}
	out := MayorInOffice{
		Envelope: from.Envelope(stats.Year(from.Vintage)), FirstName: m.firstName, LastName: m.lastName,
		Gender:    m.gender,
		BirthYear: m.birthYear, Occupation: m.occupation, MandateStart: formatDay(m.mandateStart),
		FunctionStart: formatDay(m.functionStart),
		AsOf:          stats.OmitZero(from.Vintage), Note: termNote,
	}
	if m.birthYear == nil {
		out.Note += noBirths
	}
	last := newestRound(d.Nation, municipal, 1)
	if last != nil && last.year > stats.YearOf(from.Vintage) {
		out.Note += fmt.Sprintf(" It is of %s, before the municipal elections of %d: another person may be in office.",
			from.Vintage, last.year)
	}
	if m.mandateStart == nil {
		return &out
	}
	start := mandateYear(*m.mandateStart)
	out.Mandate = new(fmt.Sprint(start, "-", start+MunicipalYears))
	if last != nil {
		out.MandateOver = new(last.year >= start+MunicipalYears)
		if *out.MandateOver {
			out.LaterVote = pointToVote(d, t)
		}
	}
	// A mayor who joined the council between elections was not elected in the published ones.
	if m.mandateStart.Year() == start {
		out.List = winningList(t, start, m)
	}
	return &out
}

// pointToVote says that the newest municipal vote of a territory is known; empty: none is.
func pointToVote(_ *stats.Data, t *stats.Territory) string {
	if e := newestRound(t, municipal, 1); e != nil && t.IsLocal() {
		return fmt.Sprintf("election.municipal has the vote of %d.", e.year)
	}
	return ""
}

// mandateYear returns the year of the municipal elections that a mandate belongs to: they take place in March
// 2020 and every six years before and after.
func mandateYear(start time.Time) int {
	year := start.Year()
	if start.Month() < time.March {
		year--
	}
	return year - ((year-2020)%MunicipalYears+MunicipalYears)%MunicipalYears
}

// winningList returns the winning list, if its head has the mayor's name.
func winningList(t *stats.Territory, year int, m Mayor) *MayorList {
	for _, round := range []int{2, 1} {
		e := findRound(t, electionName(year, municipal, round))
		if e == nil {
			continue
		}
		won := e.councilWinner(t.Code)
		if won == nil || !matchesMayorName(won.who, m) {
			return nil
		}
		return &MayorList{Nuance: stats.OmitZero(won.who.nuance), Label: stats.OmitZero(won.who.list)}
	}
	return nil
}

// matchesMayorName reports whether the head of a list has the first and
// last name of a mayor, in any order and case.
func matchesMayorName(who *contender, m Mayor) bool {
	head := strings.Fields(foldName(who.given + " " + who.name))
	for word := range strings.FieldsSeq(foldName(m.firstName + " " + m.lastName)) {
		if !slices.Contains(head, word) {
			return false
		}
	}
	return len(head) > 0
}

func formatDay(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(t.Format(time.DateOnly))
}
