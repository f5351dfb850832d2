package housing

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/internal/fault"
	"arpent/internal/opendata/stats"
)

// Prices is the price level of the comparable sales of a commune.
type Prices struct {
	stats.Envelope
	PeriodFrom string       `json:"periodFrom" doc:"Five years before periodTo, or the first day of the data." example:"2022-01-01"`
	PeriodTo   string       `json:"periodTo" doc:"Last day of the data that are loaded." example:"2022-12-31"`
	ByType     []TypePrices `json:"byType" doc:"Houses and flats apart, the type with most sales first."`
	Note       string       `json:"note" doc:"Which sales count, and of which days they are."`
}

// comparableNote is the note on the prices of a commune.
const comparableNote = "Sales of exactly one house or flat (outbuildings allowed), of nature Vente, at 100 to 30 000 euros per m²: " +
	"no valuation of a dwelling. Medians are null under five sales. In byRooms 6 rooms are six or more."

// TypePrices is the prices of the houses or of the flats of a commune.
type TypePrices struct {
	Type string `json:"type" doc:"What was sold." enum:"Maison,Appartement"`
	PriceLevel
	ByYear  []YearPrices `json:"byYear" doc:"By year of the sale, oldest first."`
	ByRooms []RoomPrices `json:"byRooms" doc:"By number of main rooms, of the sales of which the file has it."`
}

// PriceLevel is the prices of some sales.
type PriceLevel struct {
	Sales            int  `json:"sales" minimum:"1" doc:"Number of sales." example:"236"`
	MedianPricePerM2 *int `json:"medianPricePerM2" doc:"Median, in euros per m² of built area; null under five sales." example:"3082"`
	Q1               *int `json:"q1" doc:"First quartile, in euros per m²; null under five sales." example:"2640"`
	Q3               *int `json:"q3" doc:"Third quartile, in euros per m²; null under five sales." example:"3640"`
	MedianPriceEUR   *int `json:"medianPriceEur" doc:"Median of the prices paid, in euros; null under five sales." example:"180500"`
}

// YearPrices is the prices of a year.
type YearPrices struct {
	Year int `json:"year" doc:"Year of the sales." example:"2022"`
	PriceLevel
}

// RoomPrices is the prices of dwellings of a size.
type RoomPrices struct {
	Rooms int `json:"rooms" minimum:"1" maximum:"6" doc:"Number of main rooms; 6 is six and more." example:"3"`
	PriceLevel
}

// SaleStatistics returns the part of the sales in the territory statistics.
func SaleStatistics() stats.Topic {
	return stats.Topic{
		Tables: []string{"geo.dvf"}, // whose loads fill those of the statement, too
		Read:   readPrices,
		Blocks: []stats.Block{
			stats.Object("prices", "Prices of the houses and flats that were sold in the commune, in the last five years of the data: medians by type, year and number of rooms (6: six or more).",
				listPrices).At(stats.Commune, 33).From("dvf*").OnRequest(),
		},
	}
}

// pricesSlot is the slot of the prices of all communes.
var pricesSlot stats.Slot[map[string]*Prices]

//go:embed prices.sql
var selectPrices string

// readPrices reads the prices of all communes, of a type first those of all its sales.
func readPrices(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	all := map[string]*Prices{}
	rows, _ := tx.Query(ctx, selectPrices, pgx.NamedArgs{"enough": minSales}) // the rows have its error too
	var code, kind, by, part, firstDay, lastDay string
	var value int
	var p PriceLevel
	_, err := pgx.ForEachRow(rows, []any{&code, &kind, &by, &value, &part, &firstDay, &lastDay, &p.Sales, &p.MedianPricePerM2, &p.Q1,
		&p.Q3, &p.MedianPriceEUR}, func() error {
		from := d.Loads[part]
		if from == nil {
			return nil
		}
		of := all[code]
		if of == nil {
			of = &Prices{Envelope: from.Envelope(stats.Year(lastDay)), PeriodFrom: firstDay, PeriodTo: lastDay}
			all[code] = of
		}
		at := slices.IndexFunc(of.ByType, func(t TypePrices) bool { return t.Type == kind })
		if at < 0 {
			at, of.ByType = len(of.ByType), append(of.ByType, TypePrices{Type: kind, ByYear: []YearPrices{}, ByRooms: []RoomPrices{}})
		}
		of.PeriodFrom, of.PeriodTo = min(of.PeriodFrom, firstDay), max(of.PeriodTo, lastDay)
		switch t := &of.ByType[at]; by {
		case "year":
			t.ByYear = append(t.ByYear, YearPrices{value, p})
		case "rooms":
			t.ByRooms = append(t.ByRooms, RoomPrices{value, p})
		default:
			t.PriceLevel = p
		}
		return nil
	})
	for _, of := range all {
		of.Note = fmt.Sprintf("%s No sale before %s or after %s is in it.", comparableNote, of.PeriodFrom, of.PeriodTo)
		slices.SortStableFunc(of.ByType, func(a, b TypePrices) int { return cmp.Compare(b.Sales, a.Sales) })
	}
	pricesSlot.Put(d, all)
	return fault.Wrap("read the prices of communes", err)
}

func listPrices(d *stats.Data, t *stats.Territory) *Prices { return pricesSlot.Of(d)[t.Code] }
