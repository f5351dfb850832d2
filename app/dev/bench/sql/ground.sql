-- Makes a country of squares for the communes that are loaded, 15 km² each, the average of the country: some 35 000 rows. What an
-- interrupted run left behind goes first.
DROP TABLE IF EXISTS geo.synthetic_place, geo.synthetic_form;
-- Read whole by each layer. reach is how many metres there are from the middle to the border; village is the number among the communes
-- with parcels, null for the others.
CREATE UNLOGGED TABLE geo.synthetic_place AS
SELECT n::integer, code, departement_code AS departement, region_code AS region, -1.5 + 0.052 * (n % 190) AS lon, 43 + 0.0352 * (n / 190) AS lat,
    1800::double precision AS reach, 0 AS parcels, NULL::integer AS village, hashtextextended(code, 1) AS dice
FROM (SELECT row_number() OVER (ORDER BY region_code, departement_code, code) AS n, * FROM geo.commune
    WHERE type = 'commune-actuelle' AND departement_code IS NOT NULL AND region_code IS NOT NULL) c;
CREATE UNLOGGED TABLE geo.synthetic_form (
    kind  text NOT NULL,
    n     integer NOT NULL,
    piece integer NOT NULL,
    geom  geometry(Geometry, 4326) NOT NULL
);
TRUNCATE geo.commune_contour, geo.departement_contour, geo.region_contour, geo.arrondissement_contour;
INSERT INTO geo.commune_contour (code, edition, geom, area_km2)
SELECT code, 'synthetic', geom, ST_Area(geom::geography) / 1e6
FROM geo.synthetic_place CROSS JOIN LATERAL (
    SELECT ST_Multi(ST_SnapToGrid(ST_MakeEnvelope(lon - 0.026, lat - 0.0176, lon + 0.026, lat + 0.0176, 4326), 1e-7)) AS geom) square;
INSERT INTO geo.departement_contour (code, edition, geom, area_km2)
SELECT p.departement, 'synthetic', ST_Multi(ST_Union(c.geom)), sum(c.area_km2)
FROM geo.commune_contour c JOIN geo.synthetic_place p USING (code)
WHERE length(p.departement) = 2
GROUP BY p.departement;
INSERT INTO geo.region_contour (code, edition, geom, area_km2)
SELECT d.region_code, 'synthetic', ST_Multi(ST_Union(o.geom)), sum(o.area_km2)
FROM geo.departement_contour o JOIN geo.departement d USING (code)
GROUP BY d.region_code;
