-- The nearest hospital: from a list of some départements where FINESS is not loaded.
-- Indexes: enrich_health_hospital, enrich_hospital_extract_geom_idx: the nearest in degrees, then the candidates within
-- that distance in metres, a few rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'hospital' = ANY(@covered::text[]) AS whole
), near AS MATERIALIZED (
    SELECT h.*, least(@radius, ST_Distance(h.place, CASE
        WHEN h.whole THEN (SELECT t.geom FROM geo.enrich_health t
            WHERE t.attrs->>'category' IN ('101', '106', '292', '355') ORDER BY t.geom <-> h.shape LIMIT 1)
        ELSE (SELECT t.geom FROM geo.enrich_hospital_extract t ORDER BY t.geom <-> h.shape LIMIT 1) END::geography)) AS most
    FROM here h
), found AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_health t ON n.whole AND t.geom && geo.around(n.shape, n.most)
    WHERE t.attrs->>'category' IN ('101', '106', '292', '355')
    UNION ALL
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place)
    FROM near n JOIN geo.enrich_hospital_extract t ON NOT n.whole AND t.geom && geo.around(n.shape, n.most)
)
SELECT id AS finess, attrs->>'name' AS name, attrs->>'category' AS category, round(m)::int AS distance_m
FROM found WHERE m <= @radius ORDER BY m, id, part LIMIT 1
