-- The layers of mobility and of services, as many rows as the whole country has.

--- geo.enrich_facility geo.enrich_health: facility, hospital, msp, pharmacy
-- 2 800 000 facilities, 26 000 places of care. A quarter of the hospitals have an emergency department.
INSERT INTO geo.enrich_facility (part, id, attrs, geom)
SELECT 'synthetic', kind || ':' || p.code || '-' || i, jsonb_build_object('type', kind), pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 600, 80)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 600, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.roll(d, 1) AS roll) r
CROSS JOIN LATERAL (SELECT CASE WHEN roll < 0.0009 THEN 'B104' WHEN roll < 0.0048 THEN 'B105' WHEN roll < 0.0110 THEN 'B201' WHEN roll <
    0.0167 THEN 'B202'
    WHEN roll < 0.27 THEN 'A504' WHEN roll < 0.48 THEN 'B304' WHEN roll < 0.51 THEN 'C108' WHEN roll < 0.76 THEN 'D265' WHEN roll < 0.78
        THEN 'E101'
    WHEN roll < 0.96 THEN 'F113' ELSE 'G102' END AS kind) k;
INSERT INTO geo.enrich_health (part, id, attrs, geom)
SELECT 'synthetic', p.code || lpad(i::text, 4, '0'), jsonb_build_object('name', 'Établissement de santé ' || i || ' (synthetic)',
        'category', pg_temp.pick(d, 1, '{620,620,620,620,620,620,620,620,603,355}')),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 640, 0.745)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 640, i) AS d OFFSET 0) one;
INSERT INTO geo.enrich_facility (part, id, attrs, geom)
SELECT 'synthetic', 'D106:' || id, '{"type":"D106"}', geom
FROM geo.enrich_health WHERE attrs->>'category' = '355' AND hashtext(id) & 3 = 0;

--- geo.enrich_mobile_mast: mobile_mast
-- 70 000 masts with 500 000 emitters.
INSERT INTO geo.enrich_mobile_mast (part, id, piece, attrs, geom)
SELECT 'synthetic', p.code || i, row_number, jsonb_build_object('operator', operator, 'generation', generation, 'heightM',
    floor(pg_temp.between(d, 1, 10, 50))::integer),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 610, 2)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 610, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT row_number() OVER (ORDER BY operator, generation)::integer, operator, generation
    FROM unnest('{Orange,SFR,Bouygues Telecom,Free Mobile}'::text[]) operator CROSS JOIN unnest('{2G,3G,4G,5G}'::text[]) generation
    WHERE pg_temp.roll(d, hashtext(operator || generation) & 65535) < 0.45) e;

--- geo.enrich_road: road
-- 400 000 pieces of numbered roads. The first of a commune is the one whose traffic is counted.
INSERT INTO geo.enrich_road (part, id, attrs, geom)
SELECT 'synthetic', 'TRONROUT' || p.code || '-' || i, jsonb_build_object('road',
    CASE i WHEN 1 THEN 'N' || p.n % 900 ELSE 'D' || (d & 511) END),
    pg_temp.put(f.geom, at, pg_temp.between(d, 2, 200, 1000), 300, pg_temp.roll(d, 3) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 620, 11.5)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 620, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'road' AND f.n = (d & 15);

--- geo.enrich_road_traffic: road_traffic
-- 8 000 rows: straight lines.
INSERT INTO geo.enrich_road_traffic (part, id, attrs, geom)
SELECT 'synthetic', 'N' || p.n % 900 || ':' || p.code, jsonb_build_object('road', 'N' || p.n % 900, 'aadt', floor(pg_temp.between(d, 4,
    800, 60000))::integer,
        'heavyPct', round(pg_temp.between(d, 5, 2, 20)::numeric, 1), 'year', 2024),
    ST_SetSRID(ST_MakeLine(pg_temp.offset_point(ST_X(at), ST_Y(at), -long * cos(turn), -long * sin(turn)), pg_temp.offset_point(ST_X(at), ST_Y(at),
        long * cos(turn), long * sin(turn))), 4326)
FROM geo.synthetic_place p
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 620, 1) AS d) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at, pg_temp.between(d, 2, 200, 1000) AS long, pg_temp.roll(d,
    3) * 6 AS turn) two
WHERE pg_temp.roll(p.dice, 621) < 0.22 OR p.village % 5 = 1;

--- geo.enrich_school geo.enrich_school_index geo.enrich_school_result: school, school_index, school_result
-- 60 000 schools, 41 000 indexes, 11 000 results.
INSERT INTO geo.enrich_school (part, id, attrs, geom)
SELECT 'synthetic', '0' || p.code || i || 'X', jsonb_build_object('name', 'École ' || i || ' (synthetic)', 'level', pg_temp.pick(d,
    1, '{ecole,ecole,ecole,ecole,ecole,ecole,ecole,ecole,college,lycee}'),
        'sector', pg_temp.pick(d, 2, '{public,public,public,public,private}')),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 630, 1.72)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 630, i) AS d OFFSET 0) one;
INSERT INTO geo.enrich_school_index (part, id, commune, attrs)
SELECT part, id, substr(id, 2, 5), attrs || jsonb_build_object('ips', round(pg_temp.between(hashtextextended(id, 0), 1, 70, 150)::numeric,
    1), 'schoolYear', '2024-2025')
FROM geo.enrich_school WHERE pg_temp.roll(hashtextextended(id, 0), 2) < 0.68;
INSERT INTO geo.enrich_school_result (part, id, attrs)
SELECT part, id, jsonb_build_object('successRatePct', round(pg_temp.between(hashtextextended(id, 0), 3, 60, 100)::numeric, 1), 'session',
    2024)
FROM geo.enrich_school WHERE attrs->>'level' <> 'ecole';

--- geo.enrich_charge_point: charge_point
-- 60 000 stations of 150 000 points.
INSERT INTO geo.enrich_charge_point (part, id, piece, attrs, geom)
SELECT 'synthetic', 'FRDEM' || p.code || i, piece, jsonb_build_object('name', 'Station ' || i || ' (synthetic)', 'operator',
    pg_temp.pick(d, 1, '{Freshmile,Izivia,Ionity}'),
        'maxPowerKw', (ARRAY[7, 22, 50, 150])[1 + (d & 3)], 'points', points, 'free', pg_temp.roll(d, 2) < 0.1, 'updated', pg_temp.day(d, 3,
        2)),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 650, 1.72)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 650, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT 1 + floor(4 * pg_temp.roll(d, 4))::integer AS points) two
CROSS JOIN generate_series(1, points) piece;

--- geo.enrich_travel_time: travel_time
-- 34 900 rows.
INSERT INTO geo.enrich_travel_time (part, id, commune, attrs)
SELECT 'synthetic', code, code, jsonb_build_object('parisRoadMin', floor(pg_temp.between(dice, 660, 20, 600))::integer, 'parisRailMin',
    floor(pg_temp.between(dice, 661, 30, 400))::integer,
    'prefectureRoadMin', floor(pg_temp.between(dice, 662, 5, 90))::integer, 'method', 'made up', 'year', 2025)
FROM geo.synthetic_place;

--- geo.enrich_railway_station geo.enrich_high_speed_station: railway_station, high_speed_station
-- 2 800 stations, 250 of them with fast trains.
INSERT INTO geo.enrich_railway_station (part, id, attrs, geom)
SELECT 'synthetic', uic, jsonb_build_object('name', 'Gare de ' || code, 'uic', uic, 'codes', jsonb_build_array(uic)), pg_temp.spot(lon,
    lat, reach, dice)
FROM geo.synthetic_place CROSS JOIN LATERAL (SELECT (87000000 + n)::text AS uic) u
WHERE pg_temp.roll(dice, 670) < 0.08;
INSERT INTO geo.enrich_high_speed_station (part, id, attrs)
SELECT part, id, '{}' FROM geo.enrich_railway_station WHERE pg_temp.roll(hashtextextended(id, 0), 1) < 0.09;

--- geo.enrich_airport: airport
-- 150 rows.
INSERT INTO geo.enrich_airport (part, id, attrs, geom)
SELECT 'synthetic', 'LF' || n, jsonb_build_object('name', 'Aéroport de ' || code, 'iata', 'XX' || n % 10, 'icao', 'LF' || n),
    pg_temp.spot(lon, lat, reach, dice)
FROM geo.synthetic_place WHERE pg_temp.roll(dice, 680) < 0.0043 OR n = 1;

--- geo.enrich_marketplace: marketplace
-- 5 000 rows.
INSERT INTO geo.enrich_marketplace (part, id, attrs, geom)
SELECT 'synthetic', 'node/' || n, jsonb_build_object('name', 'Marché (synthetic)'), pg_temp.spot(lon, lat, reach, dice)
FROM geo.synthetic_place WHERE pg_temp.roll(dice, 691) < 0.14;
