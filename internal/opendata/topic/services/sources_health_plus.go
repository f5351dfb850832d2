package services

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
	"arpent/internal/opendata/source"
)

// finessCoordinates are the coordinates of the premises of a structure, which are not always the first of its
// addresses. It is null where there are none, or where they are those of the middle of the commune: the key
// of the address base then is the commune's code.
const finessCoordinates = `(SELECT c FROM (
	SELECT a->'coordonneesGeographique' AS c FROM json_array_elements(addresses::json) WITH ORDINALITY AS e(a, n)
	ORDER BY (a->>'usageAdresse' = '03') IS TRUE DESC, n LIMIT 1) premises
	WHERE concat(c->>'coordonneeX', c->>'directionLongitude') <> '' AND (c->>'cleInInteropBAN' ~ '^[0-9AB]{5}$') IS NOT TRUE)`

// finessNumber is SQL for a number among the coordinates.
func finessNumber(member string) string {
	return `CASE WHEN c->>'` + member + `' ~ '^-?[0-9]+([.][0-9]+)?$' THEN (c->>'` + member + `')::float8 END`
}

// finessPlusPoint is the position of a structure, null if it is not in France. Of its two
// pairs one is in degrees, the other in Lambert-93. Which one it is changes from record to
// record, and so does the order of the pair.
var finessPlusPoint = `(SELECT ST_SnapToGrid(ST_Transform(ST_SetSRID(ST_MakePoint(x, y), srid), 4326), 1e-7) FROM (
	SELECT x, y, CASE WHEN ` + source.LiesInFrance("x", "y") + ` THEN 4326
		WHEN x BETWEEN 0 AND 1300000 AND y BETWEEN 6000000 AND 7200000 THEN 2154 END AS srid
	FROM (SELECT ` + finessNumber("directionLongitude") + ` AS p, ` + finessNumber("directionLatitude") + ` AS q,
		` + finessNumber("coordonneeX") + ` AS r, ` + finessNumber("coordonneeY") + ` AS s FROM (SELECT ` + finessCoordinates + ` AS c) k) n
	CROSS JOIN LATERAL (VALUES (p, q), (q, p), (r, s), (s, r)) AS pair(x, y)) placed
	WHERE srid IS NOT NULL ORDER BY srid DESC LIMIT 1)`

// finessPlus declares the register of health structures.
func finessPlus() source.Source {
	s := finessSource("finess-plus", "FINESS+ : structures")
	s.Homepage = "https://www.data.gouv.fr/datasets/finess-structures-1"
	s.Files = []source.Files{{Path: `(?i)(^|/)finess-structures-journalier-(?P<vintage>[0-9]{8})\.json(\.gz)?$`}}
	s.Origins = []fetch.Origin{{
		From: producer.DataGouv{Dataset: "finess-structures-1", Resource: "cd493959-fb03-41e5-9347-0edd14dfbc22",
			File: `^finess-structures-journalier-20[0-9]{6}\.json\.gz$`},
		As: "finess/{served}", Bytes: 50_000_000, Rhythm: "daily",
		Note: "715 MB unpacked. One structure in four has no position, and is left out.",
	}}
	s.Read = source.Read{Format: source.JSON, Items: []string{"pmej", "ege"}}
	s.Columns = []source.Column{
		{Name: "id", From: []string{"informationsGeneralesEGE.numFinessEge"}, Required: true, Match: finessID},
		{Name: "long", From: []string{"informationsGeneralesEGE.nomEgeLong"}, Internal: true},
		{Name: "short", From: []string{"informationsGeneralesEGE.nomEgeCourt"}, Internal: true},
		pharmacyName("pharmacy_long", "informationsGeneralesEGE.nomEgeLong"), pharmacyName("pharmacy_short",
			"informationsGeneralesEGE.nomEgeCourt"),
		{Name: "closed", From: []string{"informationsGeneralesEGE.dateFermeture"}, Internal: true},
		{Name: "category", From: []string{"categorieentiteGeographiqueExercice"}, Internal: true},
		{Name: "state", From: []string{"etatObjet"}, Internal: true},
		{Name: "addresses", From: []string{"adresse"}, Match: `(?s)\[.*\]`, Internal: true},
		{Name: "piece", SQL: "1"},
		{Name: "attrs", SQL: healthAttrs},
		{Name: "geom", SQL: finessPlusPoint},
	}
	s.Drop = []string{"state IS DISTINCT FROM 'A' OR closed IS NOT NULL", "(category IN ('603', '620') OR " +
		isHospital("coalesce(long, short)") + ") IS NOT TRUE", finessCoordinates + " IS NULL"}
	s.Reject = []source.Rule{{When: finessPlusPoint + " IS NULL", Reason: "'its position is not in France'"}}
	s.Dedupe = source.Dedupe{Key: []string{"id"}}
	s.Checks = source.Checks{MaxRefused: 0.03}
	s.Target = source.ShapeLayer("health", healthIndexes)
	s.Covers = coversHealth
	return s
}
