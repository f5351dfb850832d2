-- The nearest hospital within 100 km, and the nearest multi-professional health centre and pharmacy within 50 km.
-- Hospitals come from a list of some départements where FINESS is not loaded.
-- Indexes: enrich_health_hospital, enrich_health_msp, enrich_health_pharmacy, enrich_hospital_extract_geom_idx: for
-- each the nearest in degrees, then the candidates within that distance in metres, a few rows.
WITH here AS MATERIALIZED (
    SELECT @shape::geometry AS shape, @shape::geometry::geography AS place, 'hospital' = ANY(@covered::text[]) AS hospital,
        'hospital_extract' = ANY(@covered::text[]) AS extract, 'msp' = ANY(@covered::text[]) AS msp,
        'pharmacy' = ANY(@covered::text[]) AS pharmacy
), near AS MATERIALIZED (
    SELECT h.*,
        least(100000, ST_Distance(h.place, coalesce(
            CASE WHEN h.hospital THEN (SELECT t.geom FROM geo.enrich_health t
                WHERE t.attrs->>'category' IN ('101', '106', '292', '355') ORDER BY t.geom <-> h.shape LIMIT 1) END,
            CASE WHEN h.extract AND NOT h.hospital THEN (SELECT t.geom FROM geo.enrich_hospital_extract t
                ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most_hospital,
        least(50000, ST_Distance(h.place, (CASE WHEN h.msp THEN (SELECT t.geom FROM geo.enrich_health t
            WHERE t.attrs->>'category' = '603' ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most_msp,
        least(50000, ST_Distance(h.place, (CASE WHEN h.pharmacy THEN (SELECT t.geom FROM geo.enrich_health t
            WHERE t.attrs->>'category' = '620' ORDER BY t.geom <-> h.shape LIMIT 1) END)::geography)) AS most_pharmacy
    FROM here h
), hospital AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_health t ON n.hospital AND t.geom && geo.around(n.shape, n.most_hospital)
    WHERE t.attrs->>'category' IN ('101', '106', '292', '355')
    UNION ALL
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place)
    FROM near n JOIN geo.enrich_hospital_extract t ON n.extract AND NOT n.hospital AND t.geom && geo.around(n.shape, n.most_hospital)
), msp AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_health t ON n.msp AND t.geom && geo.around(n.shape, n.most_msp)
    WHERE t.attrs->>'category' = '603'
), pharmacy AS (
    SELECT t.part, t.id, t.attrs, ST_Distance(t.geom::geography, n.place) AS m
    FROM near n JOIN geo.enrich_health t ON n.pharmacy AND t.geom && geo.around(n.shape, n.most_pharmacy)
    WHERE t.attrs->>'category' = '620'
)
SELECT (
    SELECT json_build_object('finess', id, 'name', attrs->>'name', 'category', attrs->>'category', 'distanceM', round(m)::int)
    FROM hospital WHERE m <= 100000 ORDER BY m, id, part LIMIT 1
), (
    SELECT json_build_object('finess', id, 'name', attrs->>'name', 'category', attrs->>'category', 'distanceM', round(m)::int)
    FROM msp WHERE m <= 50000 ORDER BY m, id, part LIMIT 1
), (
    SELECT json_build_object('finess', id, 'name', attrs->>'name', 'category', attrs->>'category', 'distanceM', round(m)::int)
    FROM pharmacy WHERE m <= 50000 ORDER BY m, id, part LIMIT 1
)
