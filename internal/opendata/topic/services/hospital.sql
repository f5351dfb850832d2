-- The nearest hospital: from a list of some départements where FINESS is not loaded. Where the inventory of facilities is
-- loaded, only hospitals count that it places an emergency department (D106) within 500 m of.
-- Indexes: enrich_health_hospital, enrich_hospital_extract_geom_idx: the nearest in degrees, then the candidates within
-- that distance in metres, a few rows; enrich_facility_geom_idx: the facilities around each of them, some hundreds.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'hospital' = ANY(@covered::text[]) AS whole,
        'facility' = ANY(@covered::text[]) AS checked
), near AS MATERIALIZED (
    SELECT h.*, least(@radius, ST_Distance(h.place, CASE
        WHEN h.whole THEN (SELECT t.geom FROM geo.enrich_health t
            WHERE t.attrs->>'category' IN ('101', '355') AND (NOT h.checked OR EXISTS (SELECT FROM geo.enrich_facility e
                WHERE e.geom && geo.around(t.geom, 500) AND e.attrs->>'type' = 'D106'))
            ORDER BY t.geom <-> h.shape LIMIT 1)
        ELSE (SELECT t.geom FROM geo.enrich_hospital_extract t
            WHERE NOT h.checked OR EXISTS (SELECT FROM geo.enrich_facility e
                WHERE e.geom && geo.around(t.geom, 500) AND e.attrs->>'type' = 'D106')
            ORDER BY t.geom <-> h.shape LIMIT 1) END::geography)) AS most
    FROM here h
), found AS (
    SELECT t.part, t.id, t.attrs, t.geom, ST_Distance(t.geom::geography, n.place) AS m, n.checked
    FROM near n JOIN geo.enrich_health t ON n.whole AND t.geom && geo.around(n.shape, n.most)
    WHERE t.attrs->>'category' IN ('101', '355')
    UNION ALL
    SELECT t.part, t.id, t.attrs, t.geom, ST_Distance(t.geom::geography, n.place), n.checked
    FROM near n JOIN geo.enrich_hospital_extract t ON NOT n.whole AND t.geom && geo.around(n.shape, n.most)
)
SELECT id AS finess, attrs->>'name' AS name, attrs->>'category' AS category, round(m)::int AS distance_m,
    CASE WHEN checked THEN true END AS emergencies
FROM found f WHERE m <= @radius AND (NOT checked OR EXISTS (SELECT FROM geo.enrich_facility e
    WHERE e.geom && geo.around(f.geom, 500) AND e.attrs->>'type' = 'D106'))
ORDER BY m, id, part LIMIT 1
