-- The layers of risks, as many rows as the whole country has: each commune has its share of them. What is rare is in some
-- of the communes with parcels for sure, so that a small database shows it.

--- geo.enrich_ppr_zone: ppr_zone
-- Four communes of ten have a plan of some hundred zones: 1 500 000 rows.
INSERT INTO geo.enrich_ppr_zone (part, id, attrs, geom)
SELECT 'synthetic', p.code || ' ' || i, jsonb_build_object('form', 'zone', 'plan', p.departement || 'DDT' || p.code || '1', 'kind',
    'PPRN',
        'code', pg_temp.pick(d, 1, '{RF,RI,BF,BI,B1,R1}'), 'label', pg_temp.pick(d, 2,
        '{interdiction,prescriptions,interdiction stricte,recommandations}'),
        'rule', pg_temp.pick(d, 3, '{01,02,03,04}')),
    pg_temp.put(f.geom, at, pg_temp.between(d, 4, 50, 260), pg_temp.between(d, 5, 30, 140), pg_temp.roll(d, 6) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 110, 107)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 110, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'wood' AND f.n = (d & 15)
WHERE pg_temp.roll(p.dice, 111) < 0.4;
INSERT INTO geo.enrich_ppr_zone (part, id, piece, attrs, geom)
SELECT 'synthetic', p.code || ' plan', f.piece, jsonb_build_object('form', 'plan', 'plan', p.departement || 'DDT' || p.code || '1',
    'kind', 'PPRN',
        'name', 'PPRN (synthetic)', 'risk', 'Inondation', 'state', 'opposable', 'approvedOn', pg_temp.day(p.dice, 112, 20)),
    pg_temp.put(f.geom, at, 1600, 1400, 0)
FROM geo.synthetic_place p
CROSS JOIN LATERAL (SELECT pg_temp.offset_point(p.lon, p.lat, 0, 0) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'area' AND f.n = (p.dice & 15)
WHERE pg_temp.roll(p.dice, 111) < 0.4;

--- geo.enrich_risk_procedure: risk_procedure, risk_procedure PPRT, risk_procedure PPRM
-- 45 000 rows.
INSERT INTO geo.enrich_risk_procedure (part, id, commune, attrs)
SELECT 'synthetic', plan || ' ' || p.code, p.code, jsonb_build_object('plan', plan, 'kind',
    CASE WHEN i = 1 THEN 'PPRN' ELSE pg_temp.pick(d, 1, '{PPRN,PPRN,PPRT,PPRM}') END,
    'name', 'Plan de prévention ' || i || ' (synthetic)', 'risk', pg_temp.pick(d, 2,
        '{Inondation,Mouvement de terrain,Séisme,Feu de forêt}'),
    'state', pg_temp.pick(d, 3, '{opposable,opposable,prescrit,caduque}'), 'approvedOn', pg_temp.day(d, 4, 20))
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, greatest((pg_temp.roll(p.dice, 111) < 0.4)::integer, pg_temp.some(p.dice, 120, 1.2))) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 120, i) AS d, p.departement || 'DDT' || p.code || i AS plan) one;

--- geo.enrich_rga: rga
-- 121 000 polygons of 600 corners, a million pieces.
INSERT INTO geo.enrich_rga (part, id, piece, attrs, geom)
SELECT 'synthetic', p.code || ' ' || i, f.piece, jsonb_build_object('level', 1 + floor(pg_temp.roll(d, 1) * 3)::integer),
    pg_temp.put(f.geom, at, pg_temp.between(d, 2, 500, 2200), pg_temp.between(d, 3, 400, 1500), pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 130, 3.5)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 130, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'area' AND f.n = (d & 15);

--- geo.enrich_catnat: catnat
-- 260 000 rows.
INSERT INTO geo.enrich_catnat (part, id, commune, attrs)
SELECT 'synthetic', p.code || ' ' || i, p.code, jsonb_build_object(
    'risk', pg_temp.pick(d, 1, '{Inondations et/ou Coulées de Boue,Sécheresse,Mouvement de Terrain,Tempête}'),
    'start', starts, 'end', starts + 1 + floor(pg_temp.roll(d, 2) * 5)::integer, 'orderDate', starts + 30, 'publishedOn', starts + 45)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 140, 7.4)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 140, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.day(d, 3, 42) AS starts) two;

--- geo.enrich_commune_risk: commune_risk
-- 300 000 rows.
INSERT INTO geo.enrich_commune_risk (part, id, commune, attrs)
SELECT 'synthetic', p.code || ' ' || r.code, p.code, jsonb_build_object('code', r.code, 'label', r.label)
FROM geo.synthetic_place p
CROSS JOIN (VALUES (1, '11', 'Inondation'), (2, '112', 'Par une crue à débordement lent de cours d’eau'), (3, '12', 'Mouvement de terrain'),
    (4, '121', 'Affaissements et effondrements liés aux cavités souterraines'), (5, '13', 'Séisme'), (6, '16', 'Feu de forêt'), (7, '18',
        'Radon'),
    (8, '21', 'Risque industriel'), (9, '213', 'Effet toxique'), (10, '22', 'Nucléaire'), (11, '23', 'Rupture de barrage'),
    (12, '24', 'Transport de marchandises dangereuses')) r (i, code, label)
WHERE pg_temp.roll(p.dice, 150 + r.i) < 0.72;

--- geo.enrich_tri: tri
-- 150 000 areas in one commune of ten.
INSERT INTO geo.enrich_tri (part, id, piece, attrs, geom)
SELECT 'synthetic', p.code || ' ' || i, f.piece, jsonb_build_object('form', 'area', 'tri', 'FRD_TRI_' || p.departement,
        'scenario', pg_temp.pick(d, 1, '{01For,02Moy,03Mcc,04Fai}'), 'floodType', '01', 'watercourse', 'Le ruisseau de ' || p.code),
    pg_temp.put(f.geom, at, pg_temp.between(d, 2, 100, 700), pg_temp.between(d, 3, 50, 250), pg_temp.roll(d, 4) * 6)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 170, 40)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 170, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.spot(p.lon, p.lat, p.reach, d) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'wood' AND f.n = (d & 15)
WHERE pg_temp.roll(p.dice, 171) < 0.1 OR p.village % 10 = 0;
INSERT INTO geo.enrich_tri (part, id, piece, attrs, geom)
SELECT 'synthetic', p.code || ' TRI', f.piece, jsonb_build_object('form', 'perimeter', 'tri', 'FRD_TRI_' || p.departement,
        'name', 'TRI (synthetic) ' || p.departement),
    pg_temp.put(f.geom, at, 3000, 3000, 0)
FROM geo.synthetic_place p
CROSS JOIN LATERAL (SELECT pg_temp.offset_point(p.lon, p.lat, 0, 0) AS at OFFSET 0) place
JOIN geo.synthetic_form f ON f.kind = 'area' AND f.n = (p.dice & 15)
WHERE pg_temp.roll(p.dice, 171) < 0.1 OR p.village % 10 = 0;

--- geo.enrich_flood_marker: flood_marker
-- 60 000 rows.
INSERT INTO geo.enrich_flood_marker (part, id, attrs, geom)
SELECT 'synthetic', p.code || '-' || i, jsonb_build_object('mark', p.code || '-' || i || '/1', 'date', seen, 'dateText', to_char(seen,
    'YYYY/MM/DD'),
        'year', extract(year FROM seen)::integer, 'levelM', round(pg_temp.between(d, 1, 1, 300)::numeric, 2), 'place', 'Pont ' || i,
        'commune', p.code),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 180, 1.7)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 180, i) AS d OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.day(d, 3, 90) AS seen) two;

--- geo.enrich_radon: radon
-- 34 900 rows.
INSERT INTO geo.enrich_radon (part, id, commune, attrs)
SELECT 'synthetic', code, code, jsonb_build_object('category', 1 + floor(pg_temp.roll(dice,
    190) * 3)::integer) FROM geo.synthetic_place;

--- geo.enrich_seismic_zone: seismic_zone
-- 34 900 rows.
INSERT INTO geo.enrich_seismic_zone (part, id, commune, attrs)
SELECT 'synthetic', code, code, jsonb_build_object('zone', 1 + floor(pg_temp.roll(dice,
    191) * 4)::integer) FROM geo.synthetic_place;

--- geo.enrich_icpe: icpe
-- 138 000 rows.
INSERT INTO geo.enrich_icpe (part, id, attrs, geom)
SELECT 'synthetic', '0001.' || p.code || i, jsonb_build_object('name', 'Installation ' || i || ' (synthetic)',
        'regime', pg_temp.pick(d, 1, '{Autorisation,Enregistrement,Autres régimes}'),
        'seveso', pg_temp.pick(d, 2, '{Non Seveso,Non Seveso,Non Seveso,Non Seveso,Seveso seuil bas,Seveso seuil haut}'),
        'status', pg_temp.pick(d, 3, '{En exploitation avec titre,En fin d’exploitation}'), 'active', pg_temp.roll(d, 3) < 0.5),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 200, 3.95)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 200, i) AS d OFFSET 0) one;

--- geo.enrich_polluted_site: polluted_site
-- 320 000 rows.
INSERT INTO geo.enrich_polluted_site (part, id, attrs, geom)
SELECT 'synthetic', 'SSP' || p.code || i, jsonb_build_object('register', 'CASIAS', 'name', 'Ancien site ' || i || ' (synthetic)',
        'activity', pg_temp.pick(d, 1, '{Station-service,Dépôt de liquides inflammables,Garage,Imprimerie,Teinturerie}'),
        'status', pg_temp.pick(d, 2, '{En arrêt,En activité,Indéterminé}')),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 210, 9.2)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 210, i) AS d OFFSET 0) one;

--- geo.enrich_cavity: cavity
-- 180 000 rows.
INSERT INTO geo.enrich_cavity (part, id, attrs, geom)
SELECT 'synthetic', 'DEMAA' || p.code || i, jsonb_build_object('type', pg_temp.pick(d, 1,
    '{carrière,cave,ouvrage civil,naturelle,indéterminé}'),
        'name', 'Cavité ' || i || ' (synthetic)', 'status', pg_temp.pick(d, 2, '{archive orale,validé}'), 'precisionM', (ARRAY[1, 5, 10,
        25, 50, 100])[1 + (d & 3)]),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 220, 5.2)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 220, i) AS d OFFSET 0) one;

--- geo.enrich_ground_movement: ground_movement
-- 60 000 rows.
INSERT INTO geo.enrich_ground_movement (part, id, attrs, geom)
SELECT 'synthetic', '9' || p.code || i, jsonb_build_object('type', pg_temp.pick(d, 1,
    '{Glissement,Chute de blocs / Eboulement,Effondrement / Affaissement,Coulée,Erosion de berges}'),
        'date', pg_temp.day(d, 2, 80), 'datePrecision', pg_temp.pick(d, 3, '{Jour,Mois,Année}'),
        'positionPrecision', pg_temp.pick(d, 4, '{Mètre,Décamètre,Hectomètre}'), 'reliability', pg_temp.pick(d, 5, '{Fort,Moyen,Faible}')),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 230, 1.75)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 230, i) AS d OFFSET 0) one;
