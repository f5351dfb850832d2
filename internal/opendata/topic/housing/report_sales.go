package housing

import (
	"embed"

	"arpent/internal/opendata/report"
	"arpent/internal/opendata/state"
)

//go:embed dvf.sql dvf_nearby.sql
var statements embed.FS

// ParcelSale is a sale that included the parcel.
type ParcelSale struct {
	report.Counted
	ID           string   `json:"id" doc:"identifier of the mutation in this edition of the data; it changes with each edition" example:"2022-1293405"`
	Date         string   `json:"date" doc:"Day of the sale." example:"2022-10-27"`
	Nature       *string  `json:"nature" doc:"Nature of the transfer, in the words of the producer." example:"Vente"`
	PriceEUR     *float64 `json:"priceEur" doc:"euros, of the whole mutation: all its parcels and units"`
	Type         *string  `json:"type" doc:"type of the largest unit on this parcel; null for land alone" example:"Maison"`
	Units        int      `json:"units" doc:"units on this parcel, outbuildings not counted"`
	BuiltM2      *float64 `json:"builtM2" doc:"built area of these units, m²"`
	LandM2       *float64 `json:"landM2" doc:"land of this parcel that was sold, m²"`
	Rooms        *int     `json:"rooms" doc:"main rooms of these units"`
	Lots         *int     `json:"lots" doc:"lots of a co-ownership that were sold on this parcel"`
	Parcels      int      `json:"parcels" doc:"number of parcels covered by the price"`
	OtherParcels []string `json:"otherParcels" doc:"references of the other parcels that the price covers, 10 at most: their land is not in landM2" example:"93010000AY0085"`
}

// NearbySale is a comparable sale near the parcel.
type NearbySale struct {
	report.Counted
	ID         string   `json:"id" doc:"Identifier of the sale."`
	Date       string   `json:"date" doc:"Day of the sale." example:"2023-05-12"`
	PriceEUR   float64  `json:"priceEur" doc:"euros"`
	Type       string   `json:"type" doc:"What was sold." enum:"Maison,Appartement"`
	BuiltM2    float64  `json:"builtM2" doc:"m²"`
	LandM2     *float64 `json:"landM2" doc:"m²"`
	Rooms      *int     `json:"rooms" doc:"Number of main rooms."`
	PricePerM2 int      `json:"pricePerM2" doc:"euros per m² of built area"`
	DistanceM  int      `json:"distanceM" doc:"metres from the parcel"`
}

// PriceEstimate is the price level estimated from the comparable sales around a parcel.
type PriceEstimate struct {
	MedianPricePerM2 int         `json:"medianPricePerM2" doc:"euros per m² of built area"`
	Q1               int         `json:"q1" doc:"first quartile, euros per m²"`
	Q3               int         `json:"q3" doc:"third quartile, euros per m²"`
	SampleSize       int         `json:"sampleSize" doc:"sales used; at least 5"`
	RadiusM          int         `json:"radiusM" enum:"500,1000" doc:"metres around the parcel"`
	PeriodFrom       string      `json:"periodFrom" doc:"five years before periodTo, or the first day of the data" example:"2020-01-01"`
	PeriodTo         string      `json:"periodTo" doc:"last day of the data loaded for the département" example:"2024-12-31"`
	Type             string      `json:"type" doc:"What was sold in the sales that are compared." enum:"Maison,Appartement"`
	ByType           []TypePrice `json:"byType" doc:"The same of houses and of flats apart, of the sales within 500 m: of no median two types are mixed."`
	Sales            []UsedSale  `json:"sales" doc:"the sales used, of type alone, nearest first, 50 at most"`
	// SalesNote is empty where all sales near are of one type.
	SalesNote string `json:"salesNote,omitempty" doc:"Only where houses and flats were sold near: of which type sales are, and where those of the other type are." example:"sales are of type Appartement, as the last sale of the parcel or most sales near it; those of Maison in byType are listed by dvfNearby where fields names it."`
}

// TypePrice is the price level of the houses or of the flats around a parcel.
type TypePrice struct {
	Type             string `json:"type" doc:"What was sold." enum:"Maison,Appartement"`
	SampleSize       int    `json:"sampleSize" doc:"sales of it within 500 m in the period"`
	MedianPricePerM2 *int   `json:"medianPricePerM2" doc:"euros per m² of built area; null under five sales" example:"4100"`
	Q1               *int   `json:"q1" doc:"first quartile, euros per m²; null under five sales"`
	Q3               *int   `json:"q3" doc:"third quartile, euros per m²; null under five sales"`
}

// UsedSale is a sale used for an estimate.
type UsedSale struct {
	ID         string `json:"id" doc:"Identifier of the sale."`
	Date       string `json:"date" doc:"Day of the sale."`
	PricePerM2 int    `json:"pricePerM2" doc:"euros per m²"`
	DistanceM  int    `json:"distanceM" doc:"metres from the parcel"`
}

// Where fewer sales than minSales are near, those within farRadius metres are compared.
const (
	minSales  = 5
	farRadius = 1000
)

// Report returns the topic's part of the parcel report.
func Report() report.Topic {
	dvf := []string{"dvf"}
	const band = "Comparable is the sale of exactly one house or flat (outbuildings allowed), of nature Vente, at 100 to 30 000 euros per m². " +
		"The type is that last sold on the parcel, else the one most sold around it. Sales of the parcel itself count too: their id is that in dvf."
	nowhere := report.Gap{Departements: []string{"57", "67", "68", "976"}, State: state.NotApplicable,
		Why: "Sales are not published for the départements 57, 67, 68 and 976."}
	const absent = " Null where sales are not published (57, 67, 68, 976)."
	return report.Topic{Group: "Sales and energy", Files: statements, Queries: []report.Query{
		report.Rows(report.Query{File: "dvf.sql", Args: report.Args{"limit": 50}, Weight: 1}, parcelSales,
			report.Key{Name: "dvf", Layers: dvf, Gap: nowhere, Value: []ParcelSale{},
				Doc: "Sales of this parcel, newest first, {limit} at most, one item a mutation. Price in euros for the whole mutation." + absent}),
		report.Rows(report.Query{File: "dvf_nearby.sql", Weight: 8,
			Args: report.Args{"near": 500, "far": farRadius, "enough": minSales, "limit": 20, "used": 50}},
			nearbySales,
			report.Key{Name: "dvfNearby", Layers: dvf, Gap: nowhere, Value: []NearbySale{}, Within: "near",
				Doc: "Comparable sales within {near} m in the last five years of the data, the {limit} nearest: distances run from its outline to the point that the file gives the sale. " +
					"Where fields or theme names the key, also the {limit} nearest sales of the other " +
					"type, houses or flats: type says which. " + band + absent},
			report.Key{Name: "dvfEstimate", Layers: dvf, Gap: nowhere, Value: PriceEstimate{}, Within: "far",
				Doc: "Median and quartiles of the price per m² of the comparable sales of one type within {near} m, or {far} m when there are fewer than five, " +
					"in the last five years of the data: an order of magnitude, not a valuation. Null under five sales. " + band + absent}),
	}}
}

// searchedSale is a sale of the parcel, or nothing but the period in which sales were looked for.
type searchedSale struct {
	ParcelSale
	FirstDay, LastDay *string // of the sales loaded for the commune
}

// parcelSales returns the sales of the parcel, and the period in which they were looked for.
func parcelSales(rows []searchedSale) []any {
	var out report.Partial
	list := []ParcelSale{}
	for _, r := range rows {
		if r.ID != "" {
			list = append(list, r.ParcelSale)
		}
		if r.FirstDay != nil && r.LastDay != nil {
			period := *r.FirstDay + " to " + *r.LastDay + "."
			out.None, out.Searched = state.NoSale+period, state.SalesOfAPeriod+period
		}
	}
	out.Value = list
	return []any{out}
}

// comparableSale is a sale near the parcel, and the estimate from all of them; without an ID there is none.
type comparableSale struct {
	NearbySale
	Near                                          bool // so that it is listed
	Comparable                                    bool // so that the estimate is made from it
	MedianPricePerM2, Q1, Q3, SampleSize, RadiusM int
	PeriodFrom, PeriodTo                          string
	ByType                                        []TypePrice
}

// nearbySales returns those that are listed, and the estimate where the sales suffice, with the period in
// which they were looked for.
func nearbySales(rows []comparableSale) []any {
	listed, used := []NearbySale{}, []UsedSale{}
	var e comparableSale
	var near, estimate report.Partial
	for _, r := range rows {
		if r.PeriodTo != "" {
			period := r.PeriodFrom + " to " + r.PeriodTo + "."
			near.None, near.Searched, estimate.None = state.NoSaleNear+period, state.SalesOfAPeriod+period, state.TooFewSales+period
		}
		if r.Near {
			listed = append(listed, r.NearbySale)
		}
		if r.Comparable {
			e = r
			used = append(used, UsedSale{ID: r.ID, Date: r.Date, PricePerM2: r.PricePerM2, DistanceM: r.DistanceM})
		}
	}
	near.Value = listed
	if len(used) >= minSales {
		estimate.Value = PriceEstimate{MedianPricePerM2: e.MedianPricePerM2, Q1: e.Q1, Q3: e.Q3,
			SampleSize: e.SampleSize, RadiusM: e.RadiusM,
			PeriodFrom: e.PeriodFrom, PeriodTo: e.PeriodTo, Type: e.Type, ByType: e.ByType, Sales: used,
			SalesNote: saySalesType(e.Type, e.ByType)}
	}
	return []any{near, estimate}
}

// saySalesType says of which type the sales of an estimate are, where those of another are near as well.
func saySalesType(of string, near []TypePrice) string {
	for _, other := range near {
		if other.Type != of {
			return "sales are of type " + of + ", as the last sale of the parcel or most sales near it; those of " + other.Type +
				" in byType are listed by dvfNearby where fields names it."
		}
	}
	return ""
}
