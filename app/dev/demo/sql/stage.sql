-- Makes the staging tables: parcels in a real table that becomes the served one, outlines in temporary ones.
-- What an interrupted run left behind goes first.
DROP TABLE IF EXISTS geo.parcelle_demonstration, pg_temp.drawn, pg_temp.ready;
CREATE TABLE geo.parcelle_demonstration (LIKE geo.parcelle INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
CREATE TEMPORARY TABLE drawn (level text, code text, shape bytea);
