-- The sources with tables of their own, as many rows for each parcel as the whole country has: 94 600 000 parcels.

--- geo.fibre: fibre
-- 40 000 000 buildings in the country.
INSERT INTO geo.fibre (part, id, state, operator, node, node_state, kind, geom)
SELECT 'synthetic', 'IMB/' || left(idu, 5) || '/' || substr(idu, 6), pg_temp.pick(dice, 1,
    '{deploye,deploye,deploye,deploye,deploye,deploye,deploye,deploye,en cours de deploiement,raccordable demande}'),
    pg_temp.pick(dice, 2, '{ORAN,SFRA,XPFI,BOUY}'), 'FI-' || left(idu, 5) || '-0001', 'deploye', CASE WHEN pg_temp.roll(dice,
        3) < 0.1 THEN 'immeuble' ELSE 'pavillon' END,
    ST_Centroid(geom)
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
WHERE pg_temp.roll(dice, 500) < 0.42;

--- geo.adresse: adresse
-- 26 000 000 addresses in the country, three in a hundred with two positions.
INSERT INTO geo.adresse (part, id, place, numero, street, postcode, code_insee, commune, position_type, certified, parcels, geom)
SELECT 'synthetic', pg_temp.address(idu), place, right(idu, 4)::integer, 'Rue ' || substr(idu, 9, 2) || ' de Synthèse',
    left(idu, 2) || '000', left(idu, 5), 'Commune ' || left(idu, 5), pg_temp.pick(dice, 1, '{entrée,entrée,segment,parcelle,bâtiment}'),
    pg_temp.roll(dice, 2) < 0.5, CASE WHEN pg_temp.roll(dice, 3) < 0.6 THEN ARRAY[idu] END, ST_Centroid(geom)
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
CROSS JOIN generate_series(1, 1 + (pg_temp.roll(dice, 4) < 0.03)::integer) place
WHERE pg_temp.roll(dice, 500) < 0.267;

--- geo.dvf geo.dvf_sale geo.dvf_commune: dvf
-- 8 000 000 mutations of 20 000 000 rows in five years; three of five are the sale of one home.
INSERT INTO geo.dvf (part, mutation, line, date, nature, price, idu, type, built, rooms, lots, culture, land, geom)
SELECT 'synthetic', extract(year FROM day) || '-' || idu, line, day, 'Vente', price, idu,
    CASE WHEN line = 1 THEN home WHEN line % 2 = 0 THEN 'Dépendance' END, CASE WHEN line = 1 AND home IS NOT NULL THEN built END,
    CASE WHEN line = 1 AND home IS NOT NULL THEN ceil(built / 25)::integer END, CASE WHEN home = 'Appartement' THEN 1 ELSE 0 END,
    CASE WHEN line % 2 = 1 THEN 'sols' ELSE 'jardins' END, contenance, ST_Centroid(geom)
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
CROSS JOIN LATERAL (SELECT pg_temp.day(dice, 1, 5) AS day, round(pg_temp.between(dice, 2, 60000, 500000)) AS price,
    round(pg_temp.between(dice, 3, 30, 160)) AS built,
    CASE WHEN pg_temp.roll(dice, 4) < 0.62 THEN pg_temp.pick(dice, 5, '{Maison,Maison,Appartement}') END AS home) sale
CROSS JOIN generate_series(1, 1 + floor(4 * pg_temp.roll(dice, 6))::integer) line
WHERE pg_temp.roll(dice, 510) < 0.0846;
INSERT INTO geo.dvf_sale (part, mutation, date, type, price, built, price_m2, rooms, land, commune, geom)
SELECT part, mutation, date, type, price, built, price / built, rooms, land, left(idu, 5), geom
FROM geo.dvf WHERE line = 1 AND type IS NOT NULL;
INSERT INTO geo.dvf_commune (part, commune, last_day, rank)
SELECT 'synthetic', code, date '2025-12-31', 2 FROM geo.synthetic_place;

--- geo.enrich_legal_owner: legal_owner
-- An eighth of the parcels belong to legal persons.
INSERT INTO geo.enrich_legal_owner (part, id, commune, attrs)
SELECT 'synthetic', idu, left(idu, 5), jsonb_build_object('year', '2025', 'owners', jsonb_build_array(jsonb_build_object(
    'name', 'SOCIETE DE SYNTHESE', 'siren', '552100554', 'group', '5', 'right', 'P')))
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
WHERE pg_temp.roll(dice, 540) < 0.125;

--- geo.permit geo.permit_parcel geo.permit_unplaced: permit_logements, permit_locaux, permit_amenager, permit_demolir
-- Five million permits in the country.
INSERT INTO geo.permit (part, id, type, number, code, area, prefix, state, date, dwellings, refs)
SELECT 'synthetic', 'PC' || idu, 'PC', idu, left(idu, 5), left(idu, 5), '', 6, pg_temp.day(dice, 1, 12), 1, ARRAY[substr(idu, 9)]
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
WHERE pg_temp.roll(dice, 550) < 0.055;
INSERT INTO geo.permit_parcel (part, id, area, prefix, section, plan, fits)
SELECT part, id, area, '', left(refs[1], 2), right(refs[1], 4), 1 FROM geo.permit;
INSERT INTO geo.permit_unplaced (part, area, ambiguous, gone, unreferenced) SELECT 'synthetic', code, 3, 15, 2 FROM geo.synthetic_place;

--- geo.building: building
-- 48 000 000 buildings in the country, half of the parcels with some.
INSERT INTO geo.building (part, idu, id, status, share, area)
SELECT 'synthetic', idu, pg_temp.building(idu, i), 'constructed', CASE WHEN i = 1 THEN 1 ELSE 0.6 END,
    round(pg_temp.between(dice, 2 + i, 20, 180))
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
CROSS JOIN generate_series(1, 1 + (pg_temp.roll(dice, 1) < 0.2)::integer) i
WHERE pg_temp.roll(dice, 500) < 0.42;

--- geo.building_object: building_object
-- BD TOPO has nine tenths of them.
INSERT INTO geo.building_object (part, id, height, floors, use, second_use, dwellings, built_year)
SELECT 'synthetic', pg_temp.building(idu, 1), round(pg_temp.between(dice, 5, 3, 20)), 2, 'Résidentiel',
    'Commercial et services', 1, floor(pg_temp.between(dice, 6, 1850, 2020))::integer
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
WHERE pg_temp.roll(dice, 500) < 0.42 AND pg_temp.roll(dice, 7) < 0.9;

--- geo.condominium: condominium
-- 620 000 condominiums in the country, one in ten of which names two parcels.
INSERT INTO geo.condominium (part, id, name, address, total_lots, main_lots, housing_lots, parking_lots, built_period, updated,
    syndic_type, syndic, syndic_siren, parcels, parcel_count)
SELECT 'synthetic', 'S' || idu, 'Résidence ' || substr(idu, 9), 'Rue de Synthèse', lots, lots / 2, lots / 2 - 1, lots / 3,
    pg_temp.pick(dice, 1, '{AVANT_1949,DE_1949_A_1960,DE_1961_A_1974,DE_1975_A_1993,A_COMPTER_DE_2011}'), pg_temp.day(dice, 2, 3),
    'professional', 'SYNDIC DE SYNTHESE', '552100554', ARRAY[idu] || n, 1 + cardinality(n)
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
CROSS JOIN LATERAL (SELECT floor(pg_temp.between(dice, 3, 4, 120))::integer AS lots, CASE WHEN pg_temp.roll(dice, 4) < 0.1
    THEN ARRAY[left(idu, 10) || lpad(((right(idu, 4)::integer + 1) % 10000)::text, 4, '0')] ELSE '{}' END AS n) c
WHERE pg_temp.roll(dice, 530) < 0.00655;

--- geo.dpe: dpe
-- 15 000 000 certificates in the country, most of them at an address.
INSERT INTO geo.dpe (part, id, replaces, date, valid_until, energy_class, ghg_class, consumption, emissions, building_type, built_year,
    built_period,
    living_area, address_id, geom)
SELECT 'synthetic', idu || 'E' || i, CASE WHEN i > 1 AND pg_temp.roll(c, 1) < 0.1 THEN idu || 'E' || i - 1 END, day, day + 3650,
    pg_temp.pick(c, 2, '{A,B,C,C,D,D,D,E,E,F,G}'), pg_temp.pick(c, 3, '{A,A,B,B,C,D,E,F,G}'), round(pg_temp.between(c, 4, 40, 450)),
        round(pg_temp.between(c, 5, 2, 90)),
    CASE WHEN n > 1 THEN 'appartement' ELSE 'maison' END, year,
        CASE WHEN year < 1948 THEN 'avant 1948' WHEN year < 1975 THEN '1948-1974' ELSE '1975-2020' END,
    round(pg_temp.between(c, 6, 25, 160)), CASE WHEN pg_temp.roll(c, 7) < 0.8 THEN pg_temp.address(idu) END, ST_Centroid(geom)
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
CROSS JOIN LATERAL (SELECT CASE WHEN pg_temp.roll(dice, 520) < 0.05 THEN 6 ELSE (pg_temp.roll(dice, 521) < 0.31)::integer END AS n) many
CROSS JOIN generate_series(1, n) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(dice, 522, i) AS c OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.day(c, 8, 4) AS day, floor(pg_temp.between(c, 9, 1880, 2021))::integer AS year) two
WHERE pg_temp.roll(dice, 500) < 0.267;

--- geo.sirene: sirene
-- 16 000 000 active establishments in the country.
INSERT INTO geo.sirene (part, id, naf, head_office, employees, public, name, geom)
SELECT 'synthetic', lpad((row_number() OVER (ORDER BY idu, i) + 10000000000000)::text, 14, '0'), pg_temp.pick(c, 1,
    '{47.11D,56.10A,68.20B,43.21A,86.21Z,96.02A,62.01Z,01.11Z}'),
    pg_temp.roll(c, 2) < 0.8, CASE WHEN pg_temp.roll(c, 3) < 0.3 THEN pg_temp.pick(c, 4, '{00,01,02,03,11,12,21}') END, shown,
    CASE WHEN shown AND pg_temp.roll(c, 6) < 0.55 THEN 'Établissement ' || i || ' (synthetic)' END, CASE WHEN pg_temp.roll(c,
        7) < 0.97 THEN ST_Centroid(geom) END
FROM geo.parcelle CROSS JOIN LATERAL (SELECT pg_temp.parcel_dice(idu) AS dice OFFSET 0) d
CROSS JOIN generate_series(1, CASE WHEN pg_temp.roll(dice, 530) < 0.03 THEN 8 ELSE (pg_temp.roll(dice, 531) < 0.4)::integer END) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(dice, 532, i) AS c OFFSET 0) one
CROSS JOIN LATERAL (SELECT pg_temp.roll(c, 5) < 0.9 AS shown) two
WHERE pg_temp.roll(dice, 500) < 0.267;

--- geo.enrich_monument: monument
-- 46 000 rows.
INSERT INTO geo.enrich_monument (part, id, attrs, geom)
SELECT 'synthetic', 'PA' || p.code || i, jsonb_build_object('name', 'Monument ' || i || ' (synthetic)', 'protection',
    pg_temp.pick(d, 1, '{inscrit MH,inscrit MH,classé MH}'),
        'protectedOn', pg_temp.day(d, 2, 100), 'commune', 'Commune ' || p.code, 'approximate', false),
    pg_temp.spot(p.lon, p.lat, p.reach, d)
FROM geo.synthetic_place p
CROSS JOIN generate_series(1, pg_temp.some(p.dice, 540, 1.32)) i
CROSS JOIN LATERAL (SELECT pg_temp.dice(p.dice, 540, i) AS d OFFSET 0) one;
