package environment

import (
	"context"

	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// Stations of Météo-France are stored as facts of the level "station", one each: position, mean temperature
// of 1991 to 2020, and the anomaly of each year.
const (
	StationLevel       = "station"
	StationTemperature = "temperature"
)

// monthlyTemperatures declares the two files of a département: from 1950 on, and the two newest years. They
// are loaded together, because the normals come from the first and the newest year from the second.
func monthlyTemperatures() source.Source {
	return source.Source{
		Name: "climat-mensuel", Group: "stats", Title: "Données climatologiques de base - mensuelles",
		Producer: "Météo-France",
		Licence:  source.LicenceOuverte,
		Homepage: "https://www.data.gouv.fr/datasets/donnees-climatologiques-de-base-mensuelles",
		After:    []string{"cog-communes"},
		Files: []source.Files{{
			Path:         `(^|/)MENSQ_(?P<scope>2[AB]|97[1-6]|[0-9]{2})_(previous-1950-20[0-9]{2}|latest-20[0-9]{2}-20[0-9]{2})\.csv(\.gz)?$`,
			GroupByScope: true,
		}},
		Origins: []fetch.Origin{
			{From: monthlyFiles(`([0-8]\d|9[0-5]|97[1-6])`), Rhythm: "monthly"},
			{From: formerCorse{monthlyFiles("{departement}")}, Area: fetch.Departement, Rhythm: "monthly"},
		},
		Read: source.Read{Format: source.CSV, Separator: ";"},
		Columns: []source.Column{
			{Name: "code", From: []string{"NUM_POSTE"}, Required: true, Pad: 8, Match: `[0-9]{8}`},
			{Name: "name", From: []string{"NOM_USUEL"}, Required: true},
			{Name: "lat", From: []string{"LAT"}, Kind: source.Number},
			{Name: "lon", From: []string{"LON"}, Kind: source.Number},
			{Name: "altitude", From: []string{"ALTI"}, Kind: source.Number},
			{Name: "month", From: []string{"AAAAMM"}, Required: true, Match: `(19|20)[0-9]{2}(0[1-9]|1[0-2])`},
			{Name: "mean", From: []string{"TM"}, Kind: source.Number},
			{Name: "quality", From: []string{"QTM"}},
		},
		// A station that only measures rain has no temperature; values the producer marks as doubtful (2) are
		// dropped, and so are stations without a position.
		Drop:    []string{"mean IS NULL", "quality = '2'", "lat IS NULL OR lon IS NULL"},
		Reject:  []source.Rule{{When: "mean NOT BETWEEN -35 AND 45", Reason: "'its mean temperature is ' || mean"}},
		Rows:    stationRows,
		Vintage: "to_date(max(month), 'YYYYMM')",
		Checks:  source.Checks{MinRows: 300, Queries: []string{stationCheck}},
		Target:  source.FactTarget,
		Note: "Two files a département (Corse is 20): previous-1950-… and latest-…. The files were not at hand: columns as loaders of others read them. " +
			"Those before 1950 are not read.",
	}
}

// stationMonths, stationNormals: a month has a normal if it was measured in 20 of the 30
// years, a station if all twelve months have one.
const (
	stationMonths = `
	month AS (
		SELECT DISTINCT ON (code, month) code, left(month, 4)::integer AS year, right(month, 2) AS of_year, mean
		FROM stage ORDER BY code, month, _file DESC, _line DESC)`
	stationNormals = `
	normal AS (
		SELECT code, avg(mean) AS mean FROM (
			SELECT code, of_year, avg(mean) AS mean FROM month WHERE year BETWEEN 1991 AND 2020 GROUP BY code, of_year HAVING count(*) >= 20) m
		GROUP BY code HAVING count(*) = 12)`
	stationRows = "WITH" + stationMonths + "," + stationNormals + `,
	year AS (SELECT code, year, avg(mean) AS mean FROM month GROUP BY code, year HAVING count(*) = 12),
	station AS (
		SELECT DISTINCT ON (code) code, name, lat, lon, altitude FROM stage ORDER BY code, month DESC, _file DESC, _line DESC)
	SELECT '` + StationLevel + `' AS level, s.code, '` + StationTemperature + `' AS kind, '1991-2020' AS period,
		jsonb_build_object('name', s.name, 'lat', s.lat, 'lon', s.lon, 'altitudeM', s.altitude, 'normal', round(n.mean::numeric, 3),
			'anomalies', (SELECT coalesce(jsonb_object_agg(y.year, round((y.mean - n.mean)::numeric, 3)), '{}') FROM year y WHERE y.code = s.code)) AS attrs
	FROM station s JOIN normal n USING (code)`
	stationCheck = "WITH" + stationMonths + "," + stationNormals + `
	SELECT 'none of its stations has a mean of 1991 to 2020: the file of the years from 1950 on is missing or cut off'
	WHERE NOT EXISTS (SELECT FROM normal)`
)

// monthlyFiles are the two files of a département, or of all. The years in their names move on each January;
// 99 stands for the Pacific, and the years before 1950 are not read.
func monthlyFiles(departement string) producer.S3 {
	return producer.S3{
		Bucket: "https://object.files.data.gouv.fr/meteofrance", Prefix: "data/synchro_ftp/BASE/MENS/",
		File: `^MENSQ_` + departement + `_(previous-1950-20\d\d|latest-20\d\d-20\d\d)\.csv\.gz$`,
	}
}

// formerCorse asks for both départements of Corse as the former one,
// 20, which the producer's files still have.
type formerCorse struct{ producer.S3 }

// Resolve implements fetch.Resolver.
func (f formerCorse) Resolve(ctx context.Context, c *fetch.Client, p fetch.Place) ([]fetch.Remote, error) {
	if p.Departement == "2A" || p.Departement == "2B" {
		p.Departement = "20"
	}
	return f.S3.Resolve(ctx, c, p)
}
