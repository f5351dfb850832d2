-- The layers of water and of the ground, as many rows as the whole country has.

--- geo.enrich_watercourse: watercourse
-- The country has 500 000 pieces of watercourses and 3 000 000 sections; where there are no parcels, a fifth of the latter.
INSERT INTO geo.enrich_watercourse (part, id, piece, attrs, geom)
SELECT 'synthetic', 'COURDEAU' || p.code || '-' || i, f.piece, jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN pg_temp.roll(d,
    1) < 0.7 THEN 'Ruisseau ' || i || ' de ' || p.code END,
        'code', CASE WHEN pg_temp.roll(d, 2) < 0.8 THEN 'Y' || (d & 8388607) END, 'importance', 1 + floor(pg_temp.roll(d,
        3) * 5)::integer)),
    pg_temp.put(f.geom, at, pg_temp.between(d, 4, 1000, 4000), 800, pg_temp.roll(d, 5) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 400, 3.4)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 400, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'river' AND f.n = (d & 15);
INSERT INTO geo.enrich_watercourse (part, id, attrs, geom)
SELECT 'synthetic', 'TRON_EAU' || p.code || '-' || i, jsonb_strip_nulls(jsonb_build_object('nature', pg_temp.pick(d, 1,
    '{Ecoulement naturel,Ecoulement naturel,Canal,Conduit buse}'),
        'permanent', pg_temp.roll(d, 2) < 0.6, 'course', CASE WHEN pg_temp.roll(d, 3) < 0.5 THEN 'COURDEAU' || p.code || '-1' END)),
    pg_temp.put(f.geom, at, pg_temp.between(d, 4, 60, 400), 60, pg_temp.roll(d, 5) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 410, CASE WHEN p.parcels > 0 THEN 74 ELSE 15 END)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 410, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'road' AND f.n = (d & 15);

--- geo.enrich_water_body: water_body
-- 1 600 000 rows.
INSERT INTO geo.enrich_water_body (part, id, attrs, geom)
SELECT 'synthetic', 'PLANDEAU' || p.code || '-' || i, jsonb_strip_nulls(jsonb_build_object('name', CASE WHEN pg_temp.roll(d,
    1) < 0.1 THEN 'Étang ' || i END,
        'nature', pg_temp.pick(d, 2, '{Mare,Retenue,Lac,Réservoir-bassin}'), 'areaM2', floor(2.5 * long * wide)::integer, 'permanent',
        pg_temp.roll(d, 3) < 0.8)),
    pg_temp.put(f.geom, at, long, wide, pg_temp.roll(d, 5) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 420, 46)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 420, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
CROSS JOIN LATERAL (SELECT 8 / (0.04 + pg_temp.roll(d, 6)) AS long, 5 / (0.04 + pg_temp.roll(d, 7)) AS wide) size
JOIN geo.synthetic_form f ON f.kind = 'plot' AND f.n = (d & 15);

--- geo.enrich_raster: elevation, soil_ph
-- 64 × 64 cells of 25 m where there are parcels; elsewhere tiles as large, with fewer cells: some 215 000 tiles.
INSERT INTO geo.enrich_raster (part, id, layer, srid, west, north, cell_x, cell_y, cell_m, width, height, cells, geom)
SELECT 'synthetic', 'elevation ' || p.code || ' ' || i, 'elevation', grid.srid, west, north, cell, cell, cell, size, size,
    ARRAY(SELECT (base + 0.4 * (k % size) + 0.2 * (k / size) + 3 * sin(k / 300.0))::real FROM generate_series(0, size * size - 1) k),
    ST_Transform(ST_MakeEnvelope(west, north - size * cell, west + size * cell, north, grid.srid), 4326)
FROM geo.synthetic_place p
CROSS JOIN generate_series(0, 5) i
CROSS JOIN LATERAL (SELECT CASE left(p.departement, 3) WHEN '971' THEN 5490 WHEN '972' THEN 5490 WHEN '973' THEN 2972 WHEN '974' THEN 2975
        WHEN '976' THEN 4471 ELSE 2154 END AS srid,
    CASE WHEN p.parcels > 0 AND i < 4 THEN 64 ELSE 8 END AS size, CASE WHEN p.parcels > 0 AND i < 4 THEN 25 ELSE 200 END AS cell,
    5 + 400 * pg_temp.roll(p.dice, 430) AS base) grid
CROSS JOIN LATERAL (SELECT ST_Transform(pg_temp.offset_point(p.lon, p.lat, 0, 0), grid.srid) AS middle) m
CROSS JOIN LATERAL (SELECT 25 * round(ST_X(middle) / 25) + (i % 2 - 1) * 1600 AS west,
    25 * round(ST_Y(middle) / 25) + (i / 2) * 1600 AS north) corner;
-- Two depths, 250 m: one tile for each commune with parcels.
INSERT INTO geo.enrich_raster (part, id, layer, srid, west, north, cell_x, cell_y, cell_m, width, height, cells, geom)
SELECT 'synthetic', layer || ' ' || p.code, layer, grid.srid, west, north, 250, 250, 250, 16, 16,
    ARRAY(SELECT CASE WHEN hashint8extended(p.dice, k) & 15 > 0 THEN round((base + 0.05 * k)::numeric)::real END FROM generate_series(0,
        255) k),
    ST_Transform(ST_MakeEnvelope(west, north - 4000, west + 4000, north, grid.srid), 4326)
FROM geo.synthetic_place p
CROSS JOIN unnest('{soil_ph_0_5,soil_ph_5_15}'::text[]) layer
CROSS JOIN LATERAL (SELECT CASE left(p.departement, 3) WHEN '971' THEN 5490 WHEN '972' THEN 5490 WHEN '973' THEN 2972 WHEN '974' THEN 2975
        WHEN '976' THEN 4471 ELSE 2154 END AS srid, 50 + 25 * pg_temp.roll(p.dice, 431) AS base) grid
CROSS JOIN LATERAL (SELECT ST_Transform(pg_temp.offset_point(p.lon, p.lat, 0, 0), grid.srid) AS middle) m
CROSS JOIN LATERAL (SELECT ST_X(middle) - 2000 AS west, ST_Y(middle) + 2000 AS north) corner
WHERE p.parcels > 0;

--- geo.enrich_coast: coast
-- Around each région, as if it were an island: some thousand pieces, as many kilometres away as in life or less.
INSERT INTO geo.enrich_coast (part, id, piece, attrs, geom)
SELECT 'synthetic', r.code, row_number() OVER (PARTITION BY r.code ORDER BY ST_XMin(s), ST_YMin(s), ST_XMax(s), ST_YMax(s))::integer,
    '{}', s
FROM geo.region_contour r
CROSS JOIN LATERAL ST_Subdivide(ST_Segmentize(ST_Boundary(r.geom), 0.0005), 64) s;

--- geo.enrich_mountain: mountain
-- 7 ranges, some thousand pieces.
INSERT INTO geo.enrich_mountain (part, id, piece, attrs, geom)
SELECT 'synthetic', name, f.piece, jsonb_build_object('massif', name), pg_temp.put(f.geom, pg_temp.offset_point(lon, lat, 0, 0), long, wide,
    0)
FROM (VALUES ('Massif central', 3.0, 45.0, 150000, 150000), ('Alpes du Nord', 6.4, 45.4, 60000, 80000), ('Alpes du Sud', 6.4, 44.2, 60000,
    60000),
    ('Pyrénées', 0.5, 43.0, 180000, 20000), ('Jura', 6.0, 46.7, 40000, 60000), ('Vosges', 6.5, 48.0, 40000, 50000), ('Corse', 9.0, 42.2,
        25000, 60000)) m (name, lon, lat, long, wide)
JOIN geo.synthetic_form f ON f.kind = 'park' AND f.n = length(name);

--- geo.enrich_river_station: river_station
-- 30 000 rows.
INSERT INTO geo.enrich_river_station (part, id, attrs, geom)
SELECT 'synthetic', '0' || p.code || i, jsonb_build_object('name', 'Ruisseau ' || i || ' à ' || p.code, 'watercourse', 'Ruisseau ' || i,
        'altitudeM', floor(pg_temp.roll(d, 1) * 500)::integer, 'lastSample', pg_temp.day(d, 2, 3)),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 440, 0.86)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 440, i) AS d OFFSET 0) one;

--- geo.enrich_tap_water geo.tap_sample geo.tap_result: tap_water
-- 45 000 networks of communes, 350 000 samples, 250 000 results.
INSERT INTO geo.enrich_tap_water (part, id, commune, attrs)
SELECT 'synthetic', p.code || '-' || network, p.code, jsonb_build_object('network', network, 'name',
    'RÉSEAU ' || i || ' (SYNTHETIC)')
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, 1 + (pg_temp.roll(p.dice, 450) < 0.3)::integer) i
CROSS JOIN LATERAL (SELECT lpad(p.departement, 3, '0') || right(p.code, 3) || lpad(i::text, 3, '0') AS network) n;
INSERT INTO geo.tap_sample (part, id, network, sampled, hour, conclusion, bacteriological, chemical, bacteriological_reference,
    chemical_reference)
SELECT 'synthetic', (t.attrs->>'network') || lpad(i::text, 4, '0'), t.attrs->>'network', pg_temp.day(d, 1, 2), '09h00',
    'Eau conforme aux exigences de qualité (synthetic).', 'C', pg_temp.pick(d, 2, '{C,C,C,C,C,N}'), 'C', pg_temp.pick(d, 3,
        '{C,C,C,N,S}')
FROM geo.enrich_tap_water t
CROSS JOIN LATERAL (SELECT hashtextextended(t.id, 1) AS dice) h
CROSS JOIN generate_series(1, 1 + pg_temp.some(dice, 451, 6.8)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(dice, 452, i) AS d OFFSET 0) one;
INSERT INTO geo.tap_result (part, sample, parameter, value, below)
SELECT 'synthetic', s.id, parameter, CASE parameter WHEN 'nitrates' THEN round(pg_temp.between(dice, 2, 1, 49)::numeric,
    1)::float8 ELSE 0 END,
    CASE parameter WHEN 'lead' THEN 2 END
FROM geo.tap_sample s CROSS JOIN unnest('{nitrates,lead}'::text[]) parameter
CROSS JOIN LATERAL (SELECT hashtextextended(s.id || parameter, 1) AS dice) h
WHERE pg_temp.roll(dice, 1) < 0.36;
