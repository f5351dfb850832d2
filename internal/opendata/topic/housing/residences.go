package housing

import (
	"cmp"

	"arpent/internal/opendata/stats"
)

// MainResidences describes the main residences of a territory. All but social housing comes from one census.
type MainResidences struct {
	stats.Envelope
	Main          *int               `json:"main" doc:"Number of main residences." example:"5063"`
	SmallBase     bool               `json:"smallBase,omitempty" doc:"True where there are fewer than 200 main residences: one more or less moves the shares, and INSEE advises not to use census counts of so few."`
	MainYear      *int               `json:"mainYear,omitempty" doc:"Census year of main where the census of the block does not publish it: an older one. The other figures are not computed from it." example:"2021"`
	Tenure        *Tenure            `json:"tenure" doc:"By tenure, in percent of the main residences."`
	Rooms         *Rooms             `json:"rooms" doc:"Numbers of main residences by rooms."`
	BuildPeriod   *BuildPeriod       `json:"buildPeriod" doc:"Numbers of main residences by building period."`
	Heating       *Heating           `json:"heating" doc:"By main fuel of heating, in percent of the main residences."`
	CarlessPct    *float64           `json:"carlessPct" doc:"Households without a car, in percent." example:"12.5"`
	OvercrowdPct  *float64           `json:"overcrowdedPct" doc:"Overcrowded main residences in percent, excluding one-room flats with one occupant." example:"4.7"`
	SocialHousing *SocialHousingRate `json:"socialHousing" doc:"Share of social housing according to the landlords' registers, a different source from the census. Null where it is not known, and where the source has 0, which can mean none or unknown."`
}

// Tenure are shares of the main residences.
type Tenure struct {
	OwnersPct         *float64 `json:"ownersPct" doc:"Owner-occupied, in percent." example:"49.07"`
	TenantsPct        *float64 `json:"tenantsPct" doc:"Rented, in percent." example:"44.91"`
	PrivateTenantsPct *float64 `json:"privateTenantsPct" doc:"Rented otherwise than as social housing, in percent." example:"30.1"`
	SocialTenantsPct  *float64 `json:"socialTenantsPct" doc:"Rented as social housing, in percent." example:"14.8"`
	FreePct           *float64 `json:"freePct" doc:"Occupied rent-free, in percent." example:"6.02"`
}

// Rooms are numbers of main residences.
type Rooms struct {
	One      *int     `json:"one" doc:"Number with one room." example:"300"`
	Two      *int     `json:"two" doc:"Number with two rooms." example:"900"`
	Three    *int     `json:"three" doc:"Number with three rooms." example:"1500"`
	Four     *int     `json:"four" doc:"Number with four rooms." example:"1400"`
	FivePlus *int     `json:"fivePlus" doc:"Number with five rooms or more." example:"963"`
	Average  *float64 `json:"averageRooms" doc:"Average number of rooms of a main residence." example:"3.4"`
}

// BuildPeriod holds numbers of main residences. Those built in the last years before the census are in none.
type BuildPeriod struct {
	Before1919     *int `json:"before1919" doc:"Number built before 1919." example:"400"`
	From1919To45   *int `json:"y1919to1945" doc:"Number built from 1919 to 1945." example:"300"`
	From1946To70   *int `json:"y1946to1970" doc:"Number built from 1946 to 1970." example:"700"`
	From1971To90   *int `json:"y1971to1990" doc:"Number built from 1971 to 1990." example:"1500"`
	From1991To2005 *int `json:"y1991to2005" doc:"Number built from 1991 to 2005." example:"1100"`
	Since2006      *int `json:"since2006" doc:"Number built since 2006." example:"900"`
}

// Heating are shares of the main residences.
type Heating struct {
	GasPct        *float64 `json:"gasPct" doc:"Town gas, in percent." example:"35.1"`
	BottledGasPct *float64 `json:"bottledGasPct" doc:"Bottled or tank gas, in percent." example:"2.4"`
	OilPct        *float64 `json:"oilPct" doc:"Heating oil, in percent." example:"8.8"`
	ElectricPct   *float64 `json:"electricPct" doc:"Electricity, in percent." example:"41"`
	OtherPct      *float64 `json:"otherPct" doc:"Other fuels, district heating among them, in percent." example:"12.7"`
}

// SocialHousingRate is the share of social housing among main residences.
type SocialHousingRate struct {
	Source  string   `json:"source" doc:"Producer and title of the data set." example:"Ministère chargé du logement, Taux de logements sociaux dans les communes"`
	Year    *int     `json:"year" doc:"Year of the share; null where the source does not state it." example:"2024"`
	RatePct *float64 `json:"ratePct" doc:"Social housing in percent of the main residences. It is not the rate of the SRU law, whose inventory counts other dwellings too." example:"13"`
}

func mainResidences(_ *stats.Data, t *stats.Territory) *MainResidences {
	social := t.At(SocialRate, "") // the official file states no year
	if social.Value == nil {
		social = t.Latest(SocialRate)
	}
	periods := t.Years(append([]string{HousingMain, MainOwners}, MainOfRooms...)...)
	if len(periods) == 0 && social.Value == nil {
		return nil
	}
	m := &MainResidences{}
	var figures []stats.Figure
	others := []stats.Figure{social}
	if len(periods) > 0 {
		c := &census{t: t, period: periods[len(periods)-1]}
		main := c.readFigure(HousingMain)
		m.Main, m.SmallBase = stats.Whole(main), stats.IsSmallBase(main)
		m.Tenure = tenureOf(c, main)
		rooms, built := c.readCounts(MainOfRooms), c.readCounts(MainBuilt)
		m.Rooms = stats.OmitZero(Rooms{rooms[0], rooms[1], rooms[2], rooms[3], rooms[4],
			stats.Ratio(c.readFigure(MainRooms), main, 1, 1)})
		m.BuildPeriod = stats.OmitZero(BuildPeriod{built[0], built[1], built[2], built[3], built[4], built[5]})
		share := func(measure string) *float64 { return stats.Share(c.readFigure(measure), main) }
		m.Heating = stats.OmitZero(Heating{share(MainHeatTownGas), share(MainHeatBottled), share(MainHeatOil),
			share(MainHeatElectric), share(MainHeatOther)})
		m.CarlessPct = stats.Share(c.readFigure(MainCarless), main)
		if m.CarlessPct == nil {
			m.CarlessPct = remainingPct(stats.Share(c.readFigure(MainWithCar), main))
		}
		m.OvercrowdPct = stats.Share(c.readFigure(MainOvercrowded), c.readFigure(MainCrowdable))
		figures = c.seen
		if older := t.Latest(HousingMain); m.Main == nil && older.Value != nil {
			m.Main, m.MainYear = stats.Whole(older.Value), stats.Year(older.Period)
			others = append(others, older)
		}
	}
	if social.Value != nil {
		e := stats.EnvelopeOf(social)
		m.SocialHousing = &SocialHousingRate{e.Source, e.Year, stats.Round(social.Value, 2)}
	}
	m.Envelope = stats.EnvelopeOf(append(others, figures...)...)
	if known := stats.EnvelopeOf(figures...); known.Year != nil {
		m.Year = known.Year // that of the census: social housing has its own
	}
	return m
}

// census reads the figures of one census and records them.
type census struct {
	t      *stats.Territory
	period string
	seen   []stats.Figure
}

func (c *census) readFigure(measure string) *float64 {
	f := c.t.At(measure, c.period)
	c.seen = append(c.seen, f)
	return f.Value
}

func (c *census) readCounts(measures []string) (all []*int) {
	for _, m := range measures {
		all = append(all, stats.Whole(c.readFigure(m)))
	}
	return all
}

// remainingPct returns what is missing to 100 %; nil if a part is not known.
func remainingPct(parts ...*float64) *float64 {
	rest := 100.0
	for _, p := range parts {
		if p == nil {
			return nil
		}
		rest -= *p
	}
	rest = max(0, rest) // parts are rounded
	return stats.Round(&rest, 2)
}

func tenureOf(c *census, main *float64) *Tenure {
	tenants, social := c.readFigure(MainTenants), c.readFigure(MainSocialTenants)
	t := Tenure{
		OwnersPct:        stats.Share(c.readFigure(MainOwners), main),
		TenantsPct:       stats.Share(tenants, main),
		SocialTenantsPct: stats.Share(social, main),
		FreePct:          stats.Share(c.readFigure(MainFree), main),
	}
	if tenants != nil && social != nil {
		t.PrivateTenantsPct = stats.Share(new(*tenants-*social), main)
	}
	t.FreePct = cmp.Or(t.FreePct, remainingPct(t.OwnersPct, t.TenantsPct)) // there is no fourth tenure
	return stats.OmitZero(t)
}

// shareOrRate ranks by the published rate, else by a in percent of b: counts may be rounded.
func shareOrRate(a, b, rate string) func(*stats.Territory) []stats.Point {
	return func(t *stats.Territory) []stats.Point {
		var out []stats.Point
		for _, period := range t.Years(b, rate) {
			part, whole, published := t.At(a, period), t.At(b, period), t.At(rate, period)
			if published.Value != nil {
				out = append(out, stats.PointOf(period, *stats.Round(published.Value, 2), published).Of(whole))
			} else if v := stats.Share(part.Value, whole.Value); v != nil {
				out = append(out, stats.PointOf(period, *v, part, whole).Of(whole))
			}
		}
		return out
	}
}
