package environment

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"arpent/internal/opendata/stats"
)

const (
	StationReachKm  = 40 // beyond, the climate of a station is not that of a commune
	MinDecadeYears  = 8  // known years that a ten-year mean needs
	kmPerDegree     = 111.195
	ReferencePeriod = "1991-2020"
)

// station is a place where temperatures are measured.
type station struct {
	id        string
	from      *stats.Load
	Name      string          `json:"name"`
	Lat       float64         `json:"lat"`
	Lon       float64         `json:"lon"`
	AltitudeM *float64        `json:"altitudeM"`
	Normal    float64         `json:"normal"`
	Anomalies map[int]float64 `json:"anomalies"`
}

// stations holds all stations, sorted from south to north, and the year used everywhere.
type stations struct {
	stations      []*station
	byDepartement map[string][]*station
	year          int
}

const selectStations = `SELECT part, code, attrs::text FROM geo.stat_fact WHERE level = $1 AND kind = $2 ORDER BY code, part`

var stationSlot stats.Slot[*stations]

func readStations(ctx context.Context, tx pgx.Tx, d *stats.Data) error {
	c := &stations{}
	rows, _ := tx.Query(ctx, selectStations, StationLevel, StationTemperature) // the rows have its error too
	var part, code, attrs string
	_, err := pgx.ForEachRow(rows, []any{&part, &code, &attrs}, func() error {
		s := &station{id: code, from: d.Loads[part]}
		if s.from == nil {
			return nil
		}
		if err := json.Unmarshal([]byte(attrs), s); err != nil {
			return fmt.Errorf("station %s: %w", code, err)
		}
		c.stations = append(c.stations, s)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the stations: %w", err)
	}
	c.sortStations(d)
	stationSlot.Put(d, c)
	return nil
}

// sortStations sorts the stations. The year is the newest that half of them have in full.
func (c *stations) sortStations(d *stats.Data) {
	slices.SortStableFunc(c.stations, func(a, b *station) int { return cmp.Compare(a.Lat, b.Lat) })
	c.byDepartement = map[string][]*station{}
	whole := map[int]int{}
	for _, s := range c.stations {
		code := departementOfStation(d, s.id)
		c.byDepartement[code] = append(c.byDepartement[code], s)
		for y := range s.Anomalies {
			whole[y]++
		}
	}
	for y, n := range whole {
		if 2*n >= len(c.stations) {
			c.year = max(c.year, y)
		}
	}
}

// departementOfStation reads the département from the station number, which begins with the code of a
// commune. Both Corsican départements are 20 there; their communes share one range of numbers.
func departementOfStation(d *stats.Data, id string) string {
	switch {
	case id[:2] == "97" || id[:2] == "98":
		return id[:3]
	case id[:2] != "20":
		return id[:2]
	}
	for _, code := range []string{"2A", "2B"} {
		if d.Find(stats.Commune, code+id[2:5]) != nil {
			return code
		}
	}
	return ""
}

// findNearest returns the nearest station within reach that has the year.
func (c *stations) findNearest(lat, lon float64) (found *station, km float64) {
	km = StationReachKm
	reach := StationReachKm / kmPerDegree
	from, _ := slices.BinarySearchFunc(c.stations, lat-reach,
		func(s *station, lat float64) int { return cmp.Compare(s.Lat, lat) })
	for _, s := range c.stations[from:] {
		if s.Lat > lat+reach {
			break
		}
		if _, has := s.Anomalies[c.year]; !has {
			continue
		}
		if far := distanceKm(lat, lon, s.Lat, s.Lon); far <= km && (found == nil || far < km) {
			found, km = s, far
		}
	}
	return found, km
}

// distanceKm returns the distance of two points on a sphere.
func distanceKm(lat1, lon1, lat2, lon2 float64) float64 {
	const degree = math.Pi / 180
	north, east := math.Sin((lat2-lat1)*degree/2), math.Sin((lon2-lon1)*degree/2)
	h := north*north + math.Cos(lat1*degree)*math.Cos(lat2*degree)*east*east
	return 2 * kmPerDegree / degree * math.Asin(math.Sqrt(min(1, h)))
}
