package explore

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/tidwall/gjson"

	"arpent/api/parcel"
	"arpent/api/territory"
	"arpent/internal/opendata/geom"
	"arpent/internal/opendata/state"
	"arpent/web"
	"arpent/web/report"
)

// commune is a commune as the page shows it.
type commune struct {
	territory.Commune
	groups   []group
	sections []parcel.Section
	section  *parcel.Section // whose parcels are listed; nil: none
	parcels  []parcel.IDU
	page     int
}

// perPage is how many parcels are listed at a time.
const perPage = 200

var (
	communeCode = regexp.MustCompile(`^[0-9AB]{5}$`)
	sectionCode = regexp.MustCompile(`^[0-9AB]{5}[0-9]{3}[0-9A-Z]{2}$`)
)

// showCommune shows a commune, and the parcels of one of its sections where the address names it.
func (p *Pages) showCommune(c *fiber.Ctx, v *view, code string) {
	snap := p.o.Territory()
	if snap == nil {
		v.setProblem(fiber.StatusServiceUnavailable, notLoadedYet)
		return
	}
	if !communeCode.MatchString(code) {
		v.setProblem(fiber.StatusBadRequest, noCommuneCode)
		return
	}
	at, ok := snap.Place(code)
	if !ok {
		v.setProblem(fiber.StatusNotFound, noCommune)
		return
	}
	v.commune = &commune{}
	v.commune.Name, v.commune.CodeInsee = at.CommuneName, at.CodeInsee
	if box, ok := snap.Bounds(at.CodeInsee); ok {
		v.box = &box
		v.commune.sections = p.listSections(snap, at.CodeInsee, box)
	}
	p.showSection(c, v)
	if v.commune.section == nil && p.admitVisitor(c, v) {
		p.readStatistics(snap, v)
	}
}

// listSections lists those of a commune, which may have several codes in the plan.
func (p *Pages) listSections(snap *territory.Snapshot, commune string, box geom.Box) (out []parcel.Section) {
	index := p.o.Index()
	if index == nil {
		return nil
	}
	for _, code := range index.CodesIn(box) {
		if at, ok := snap.Place(code); ok && at.CodeInsee == commune {
			out = append(out, index.Sections(code)...)
		}
	}
	return out
}

// showSection lists the parcels of the section that the address names.
func (p *Pages) showSection(c *fiber.Ctx, v *view) {
	asked := c.Query("section")
	if !sectionCode.MatchString(asked) {
		return
	}
	for _, s := range v.commune.sections {
		if s.Commune+s.Prefix+s.Name != asked {
			continue
		}
		page, err := strconv.Atoi(c.Query("page", "1"))
		if err != nil || page < 1 || page > pageCount(s) {
			page = 1
		}
		v.commune.section, v.commune.page = &s, page
		v.commune.parcels = p.o.Index().References(s, (page-1)*perPage, perPage)
	}
}

func pageCount(s parcel.Section) int { return (s.Parcels + perPage - 1) / perPage }

// readStatistics reads what is known of the commune.
func (p *Pages) readStatistics(snap *territory.Snapshot, v *view) {
	answer, err := snap.Commune(v.commune.CodeInsee, territory.Include{Stats: p.o.Statistics()})
	if err != nil {
		return // it was there a moment ago: its name is shown
	}
	if err := json.Unmarshal(answer.Body, &v.commune.Commune); err != nil {
		return
	}
	v.commune.groups = []group{statisticsGroup(v.Lang, gjson.ParseBytes(answer.Body))}
}

// shownFigures are the statistics that the page shows; the call has the others.
var shownFigures = []struct {
	key, path, year string
	french, english string
	write           func(web.Lang, float64) string
}{
	{"population", "population.latest.municipal", "population.year", "Habitants", "Inhabitants", formatRounded},
	{"population", "population.density", "population.year", "Densité", "Density",
		func(l web.Lang, v float64) string {
			return formatRounded(l, v) + l.Pick("\u00a0hab./km²", " per km²")
		}},
	{"revenus", "revenus.medianIncome", "revenus.year", "Niveau de vie médian", "Median standard of living",
		func(l web.Lang, v float64) string {
			return l.Pick(formatRounded(l, v)+"\u00a0€ par an", "€"+formatRounded(l, v)+" a year")
		}},
	{"revenus", "revenus.povertyRate", "revenus.year", "Taux de pauvreté", "Poverty rate",
		func(l web.Lang, v float64) string { return l.Percent(v / 100) }},
}

// statisticsGroup are the statistics of a commune, and the names of those that are not shown.
func statisticsGroup(l web.Lang, body gjson.Result) group {
	g := group{title: l.Pick("Statistiques", "Statistics")}
	shown, missing := map[string]bool{}, map[state.State][]string{}
	for _, f := range shownFigures {
		shown[f.key] = true
		title, s := l.Pick(f.french, f.english), state.State(body.Get("states."+f.key+".state").String())
		switch value := body.Get("stats." + f.path); {
		case value.Type == gjson.Number:
			g.facts = append(g.facts, fact{title, f.write(l, value.Float()), body.Get("stats." + f.year).String()})
		case s == state.Value:
			missing[report.NotGiven] = append(missing[report.NotGiven], title)
		default:
			missing[s] = append(missing[s], title)
		}
	}
	body.Get("states").ForEach(func(name, of gjson.Result) bool {
		title := web.StatisticsKeys.NameOf(l, name.String())
		switch s := state.State(of.Get("state").String()); {
		case shown[name.String()] || strings.Contains(name.String(), "."): // a part of a key
		case s == state.Value:
			g.there = append(g.there, key{title, "/docs/statistics#commune-" + name.String()})
		default:
			missing[s] = append(missing[s], title)
		}
		return true
	})
	g.missing = report.GroupAbsent(l, missing)
	return g
}

func formatRounded(l web.Lang, v float64) string { return l.Number(int(v + 0.5)) }
