-- Active establishments near the parcel, the nearest first, each row with the number of all. Thousands may share one
-- point: distances are measured once a point.
-- Index: sirene_geom_idx, by parts of the subdivided polygon. Some tens of rows; thousands at a domiciliation address.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
piece AS MATERIALIZED (
    SELECT d.nth, geo.flat(d.shape, p.k) AS flat, p.k, geo.around(d.shape, @radius) AS wide
    FROM place p, ST_Subdivide(p.shape, 128) WITH ORDINALITY AS d(shape, nth)
),
found AS MATERIALIZED (
    SELECT p.nth, s.part, s.id, s.name, s.naf, s.head_office, s.employees, s.geom FROM piece p JOIN geo.sirene s ON s.geom && p.wide
), spot AS (
    SELECT f.geom, min(geo.point_metres(f.geom, p.flat, p.k)) AS m
    FROM (SELECT DISTINCT nth, geom FROM found) f JOIN piece p ON p.nth = f.nth
    GROUP BY f.geom
), near AS MATERIALIZED (
    SELECT DISTINCT ON (f.id) f.*, s.m FROM found f JOIN spot s ON s.geom = f.geom WHERE s.m <= @radius ORDER BY f.id, f.part
)
SELECT id AS siret, name, naf, NULL::text AS label, head_office, employees, round(m)::int AS distance_m, (SELECT count(*) FROM near) AS total
FROM near ORDER BY m, id LIMIT @limit
