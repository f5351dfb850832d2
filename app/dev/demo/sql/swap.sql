-- Makes the staged tables the served ones. The parcel table is exchanged whole, so that ten million rows take no longer
-- than ten; the outlines are few. Overseas départements have no outline of their own: the list of 96 is metropolitan.
UPDATE geo.load SET active = false WHERE active AND demonstration;
DELETE FROM geo.commune_contour;
INSERT INTO geo.commune_contour (code, edition, geom, area_km2)
    SELECT code, 'demonstration', geom, area_km2 FROM pg_temp.ready WHERE level = 'commune';
DELETE FROM geo.departement_contour;
INSERT INTO geo.departement_contour (code, edition, geom, area_km2)
    SELECT code, 'demonstration', geom, area_km2 FROM pg_temp.ready WHERE level = 'departement' AND length(code) = 2;
DELETE FROM geo.region_contour;
INSERT INTO geo.region_contour (code, edition, geom, area_km2)
    SELECT code, 'demonstration', geom, area_km2 FROM pg_temp.ready WHERE level = 'region';
DELETE FROM geo.arrondissement_contour;
DELETE FROM geo.parcelle_commune;
DELETE FROM geo.parcelle_passee;
DELETE FROM geo.feuille;
SET LOCAL lock_timeout = '30s';
DROP TABLE geo.parcelle;
ALTER TABLE geo.parcelle_demonstration RENAME TO parcelle;
ALTER TABLE geo.parcelle ADD CONSTRAINT parcelle_pkey PRIMARY KEY USING INDEX parcelle_demonstration_pkey;
ALTER INDEX geo.parcelle_demonstration_geom RENAME TO parcelle_geom;
