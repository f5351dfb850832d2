-- The layers of planning and of land. Where the whole country has more than two million shapes, the communes with parcels
-- have as many as in life and the others a tenth.

--- geo.enrich_plan_zone: plan_zone
-- 3 000 000 zones in the country: those of a village lie side by side.
INSERT INTO geo.enrich_plan_zone (part, id, attrs, geom)
SELECT 'synthetic', p.code || ' ' || i, jsonb_build_object('zone', sort || pg_temp.pick(d, 2, '{a,b,c,p}'), 'label',
    'Zone ' || sort || ' (synthetic)', 'type', sort,
        'document', p.code || '_PLU_20200101', 'validOn', '2020-01-01', 'territory', p.code),
    pg_temp.put(f.geom, at,
        CASE WHEN i <= 48 THEN 127 ELSE pg_temp.between(d, 3, 100, 600) END, CASE WHEN i <= 48 THEN 127 ELSE pg_temp.between(d, 4, 80,
        400) END, 0)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 300, CASE WHEN p.parcels > 0 THEN 86 ELSE 9 END)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 300, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT CASE WHEN i <= 48 THEN pg_temp.offset_point(p.lon, p.lat, 250 * ((i - 1) % 8 - 3.5),
    250 * ((i - 1) / 8 - 2.5)) ELSE pg_temp.spot(p.lon, p.lat, p.reach, d) END AS at OFFSET 0) place
CROSS JOIN LATERAL (SELECT pg_temp.pick(d, 1, CASE WHEN i <= 48 THEN '{U,U,U,AUc}' ELSE '{A,A,N,N,AUs}' END::text[]) AS sort) k
JOIN geo.synthetic_form f ON f.kind = 'zone' AND f.n = (d & 15);

--- geo.enrich_plan_prescription: plan_prescription
-- 4 000 000 in the country, three of a commune large.
INSERT INTO geo.enrich_plan_prescription (part, id, attrs, geom)
SELECT 'synthetic', p.code || ' ' || i, jsonb_build_object('type', pg_temp.pick(d, 1, '{01,05,07,16,18,31,39}'), 'subtype',
    pg_temp.pick(d, 2, '{00,01,02,03}'),
        'label', 'Prescription ' || i || ' (synthetic)', 'document', p.code || '_PLU_20200101', 'territory', p.code),
    pg_temp.put(f.geom, at, CASE WHEN i <= 3 THEN 900 ELSE 4 / (0.02 + pg_temp.roll(d, 3)) END,
        CASE WHEN i <= 3 THEN 700 ELSE 3 / (0.02 + pg_temp.roll(d, 4)) END,
        pg_temp.roll(d, 5) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 310, CASE WHEN p.parcels > 0 THEN 115 ELSE 11 END)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 310, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'plot' AND f.n = (d & 15);

--- geo.enrich_vegetation: vegetation
-- 15 000 000 in the country.
INSERT INTO geo.enrich_vegetation (part, id, attrs, geom)
SELECT 'synthetic', 'ZONEVEGE' || p.code || '-' || i, jsonb_build_object('nature', pg_temp.pick(d, 1,
    '{Haie,Haie,Bois,Bois,Forêt fermée de feuillus,Lande ligneuse,Verger,Vigne}')),
    pg_temp.put(f.geom, at, 6 / (0.03 + pg_temp.roll(d, 2)), 3 / (0.03 + pg_temp.roll(d, 3)), pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 320, CASE WHEN p.parcels > 0 THEN 430 ELSE 43 END)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 320, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'plot' AND f.n = (d & 15);

--- geo.rpg: rpg
-- 9 700 000 fields in the country, of 3 ha.
INSERT INTO geo.rpg (part, id, crop, crop_group, area_ha, year, geom)
SELECT 'synthetic', p.n::bigint * 100000 + i, crop[1 + (d & 3)], (ARRAY[18, 1, 2, 5])[1 + (d & 3)],
    round((2.2 * long * wide / 10000)::numeric, 2), 2024,
    pg_temp.put(f.geom, at, long, wide, pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 330, CASE WHEN p.parcels > 0 THEN 278 ELSE 28 END)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 330, i) AS d, '{PPH,BTH,MIS,CZH}'::text[] AS crop OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
CROSS JOIN LATERAL (SELECT pg_temp.between(d, 2, 60, 220) AS long, pg_temp.between(d, 3, 40, 130) AS wide) size
JOIN geo.synthetic_form f ON f.kind = 'field' AND f.n = (d & 15);

--- geo.enrich_forest: forest
-- 3 000 000 in the country.
INSERT INTO geo.enrich_forest (part, id, attrs, geom)
SELECT 'synthetic', 'FORMVEGE' || p.code || '-' || i, jsonb_build_object('code', pg_temp.pick(d, 1, '{FF1-00,FF2-00,FF3,LA4,FO1}'),
    'label', 'Forêt fermée à mélange de feuillus',
        'species', pg_temp.pick(d, 1, '{Feuillus,Conifères,Mixte,NC,NR}'), 'year', 2014),
    pg_temp.put(f.geom, at, 10 / (0.02 + pg_temp.roll(d, 2)), 8 / (0.02 + pg_temp.roll(d, 3)), pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 340, CASE WHEN p.parcels > 0 THEN 86 ELSE 9 END)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 340, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'wood' AND f.n = (d & 15);

--- geo.enrich_rpg_bio: rpg_bio
-- 1 000 000 rows.
INSERT INTO geo.enrich_rpg_bio (part, id, attrs, geom)
SELECT 'synthetic', p.code || ' ' || i, jsonb_build_object('stage', pg_temp.pick(d, 1, '{AB,AB,C1,C2,C3}'), 'year', 2024, 'crop',
    pg_temp.pick(d, 5, '{PPH,BTH,MIS}')),
    pg_temp.put(f.geom, at, pg_temp.between(d, 2, 60, 220), pg_temp.between(d, 3, 40, 130), pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 350, 28.6)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 350, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'field' AND f.n = (d & 15);

--- geo.enrich_protected_area: protected_area_pn, protected_area_rnn, protected_area_rnr, protected_area_rnc, protected_area_apb, protected_area_rb, protected_area_sc, protected_area_sic, protected_area_zps, protected_area_scl, protected_area_scen, protected_area_pnr, protected_area_ramsar, protected_area_znieff1, protected_area_znieff2
-- 25 000 areas of 600 or 4 000 corners.
INSERT INTO geo.enrich_protected_area (part, id, piece, attrs, geom)
SELECT 'synthetic', sort || p.code || '-' || i, f.piece, jsonb_build_object('type', sort, 'code', 'FR' || p.code || i, 'name',
    'Espace ' || i || ' (synthetic)',
        'url', 'https://example.org/' || p.code),
    pg_temp.put(f.geom, at, pg_temp.between(d, 2, 300, 1500) * grown, pg_temp.between(d, 3, 300, 1200) * grown, pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 360, 0.72)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 360, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
CROSS JOIN LATERAL (SELECT CASE WHEN pg_temp.roll(d, 5) < 0.2 THEN 5 ELSE 1 END AS grown,
    pg_temp.pick(d, 1, '{PN,RNN,RNR,APB,RB,SC,SIC,SIC,ZPS,ZPS,SCEN,PNR,ZNIEFF1,ZNIEFF1,ZNIEFF1,ZNIEFF1,ZNIEFF2,ZNIEFF2}') AS sort) k
JOIN geo.synthetic_form f ON f.kind = CASE grown WHEN 5 THEN 'park' ELSE 'area' END AND f.n = (d & 15);

--- geo.enrich_land_cover: land_cover
-- 300 000 rows.
INSERT INTO geo.enrich_land_cover (part, id, attrs, geom)
SELECT 'synthetic', 'FR-' || p.code || i, jsonb_build_object('code', pg_temp.pick(d, 1, '{112,112,211,211,231,242,243,311,312,121}'),
    'year', 2018),
    pg_temp.put(f.geom, at, CASE i WHEN 1 THEN 2500 ELSE pg_temp.between(d, 2, 300, 1100) END,
        CASE i WHEN 1 THEN 2000 ELSE pg_temp.between(d, 3, 250, 800) END,
        pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 370, 8.6)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 370, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'wood' AND f.n = (d & 15);

--- geo.enrich_easement geo.enrich_easement_generator geo.enrich_easement_act: easement
-- 400 000 areas of 300 000 generators of 200 000 acts.
INSERT INTO geo.enrich_easement_act (part, id, attrs)
SELECT 'synthetic', p.code || '_SUP:S' || i, jsonb_build_object('name', 'Servitude ' || i || ' (synthetic)', 'category',
    category) ||
    CASE WHEN pg_temp.roll(d, 2) < 0.03 THEN '{"repealed": true}' ELSE '{}' END::jsonb
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, 6) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 380, i) AS d, (ARRAY['AC1', 'AC1', 'AC2', 'I4', 'PT2', 'T1'])[i] AS category) one;
INSERT INTO geo.enrich_easement_generator (part, id, attrs)
SELECT 'synthetic', p.code || '_SUP:G' || i, jsonb_build_object('servitude', p.code || '_SUP:S' || 1 + i % 6, 'name',
    'Générateur ' || i)
FROM geo.synthetic_place p CROSS JOIN generate_series(1, 9) i;
INSERT INTO geo.enrich_easement (part, id, attrs, geom)
SELECT 'synthetic', p.code || '_SUP:A' || i, jsonb_build_object('category', (ARRAY['AC1', 'AC1', 'AC2', 'I4', 'PT2',
    'T1'])[1 + (1 + (i - 1) % 9) % 6],
        'kind', 'Périmètre de protection', 'name', 'Assiette ' || i, 'generator', p.code || '_SUP:G' || 1 + (i - 1) % 9, 'document',
        p.code || '_SUP_20200101'),
    pg_temp.put(f.geom, at, pg_temp.between(d, 2, 60, 700), pg_temp.between(d, 3, 30, 500), pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 381, 11.5)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 381, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'plot' AND f.n = (d & 15);

--- geo.enrich_aoc: aoc
-- 150 000 rows in three communes of ten.
INSERT INTO geo.enrich_aoc (part, id, attrs, geom)
SELECT 'synthetic', p.code || ' ' || i, jsonb_build_object('appellation', 'Coteaux ' || i % 3 || ' (synthetic)', 'denominations',
    jsonb_build_array('Coteaux ' || i % 3 || ' rouge', 'Coteaux ' || i % 3 || ' blanc')),
    pg_temp.put(f.geom, at, pg_temp.between(d, 2, 80, 600), pg_temp.between(d, 3, 60, 400), pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 390, 14.3)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 390, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'wood' AND f.n = (d & 15)
WHERE pg_temp.roll(p.dice, 391) < 0.3 OR p.village % 5 = 3;

--- geo.enrich_aerial_survey: aerial_survey, orthophoto_1950
-- 25 000 missions, each 30 km wide, and the pieces of a map of the whole country.
INSERT INTO geo.enrich_aerial_survey (part, id, attrs, geom)
SELECT 'synthetic', p.code || ' ' || i, jsonb_build_object('mission', 'CN' || p.code || '-' || i, 'year', 1930 + floor(pg_temp.roll(d,
    1) * 70)::integer),
    pg_temp.put(f.geom, at, pg_temp.between(d, 2, 8000, 22000), pg_temp.between(d, 3, 8000, 18000), pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 395, 0.72)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 395, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.offset_point(p.lon, p.lat, 0, 0) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'field' AND f.n = (d & 15);
INSERT INTO geo.enrich_aerial_survey (part, id, piece, attrs, geom)
SELECT 'synthetic', 'orthophoto ' || c.code, row_number() OVER (PARTITION BY c.code ORDER BY ST_XMin(piece), ST_YMin(piece))::integer,
    '{"orthophoto": "1950"}', piece
FROM geo.departement_contour c CROSS JOIN LATERAL ST_Subdivide(c.geom, 128) piece;

--- geo.enrich_aerodrome_easement: aerodrome_easement
-- 2 000 rows.
INSERT INTO geo.enrich_aerodrome_easement (part, id, piece, attrs, geom)
SELECT 'synthetic', p.code, f.piece, jsonb_build_object('kind', sort, 'name', 'Aérodrome de ' || p.code) ||
        CASE sort WHEN 'PEB' THEN jsonb_build_object('zone', pg_temp.pick(p.dice, 2, '{A,B,C,D}')) ELSE '{}' END,
    pg_temp.put(f.geom, at, pg_temp.between(p.dice, 396, 2000, 9000), 2500, pg_temp.roll(p.dice, 397) * 6)
FROM geo.synthetic_place p
CROSS JOIN LATERAL (SELECT pg_temp.offset_point(p.lon, p.lat, 0, 0) AS at OFFSET 0) place
CROSS JOIN LATERAL (SELECT pg_temp.pick(p.dice, 398, '{T4,T5,T5,T7,PEB}') AS sort) k
JOIN geo.synthetic_form f ON f.kind = 'area' AND f.n = (p.dice & 15)
WHERE pg_temp.roll(p.dice, 399) < 0.055 OR p.village % 17 = 2;

--- geo.enrich_qpv: qpv
-- 1 600 rows.
INSERT INTO geo.enrich_qpv (part, id, piece, attrs, geom)
SELECT 'synthetic', p.code, f.piece, jsonb_build_object('code', 'QN0' || p.code || 'I', 'name', 'Quartier (synthetic)'),
    pg_temp.put(f.geom, at, 700, 500, pg_temp.roll(p.dice, 301) * 6)
FROM geo.synthetic_place p
CROSS JOIN LATERAL (SELECT pg_temp.offset_point(p.lon, p.lat, 0, 0) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'wood' AND f.n = (p.dice & 15)
WHERE pg_temp.roll(p.dice, 302) < 0.04 OR p.village % 12 = 1;
