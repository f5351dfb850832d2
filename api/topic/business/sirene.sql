-- Active establishments within 50 m of the parcel, and their number. Thousands may share one point: distances are
-- measured once a point.
-- Index: sirene_geom_idx, by parts of the subdivided polygon. Some tens of rows; thousands at a domiciliation address.
WITH place AS MATERIALIZED (SELECT @shape::geometry AS shape, cos(radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry))))) AS k),
piece AS MATERIALIZED (
    SELECT d.nth, geo.flat(d.shape, p.k) AS flat, p.k, geo.around(d.shape, 50) AS wide
    FROM place p, ST_Subdivide(p.shape, 128) WITH ORDINALITY AS d(shape, nth)
),
found AS MATERIALIZED (
    SELECT p.nth, s.part, s.id, s.name, s.naf, s.head_office, s.employees, s.geom FROM piece p JOIN geo.sirene s ON s.geom && p.wide
), spot AS (
    SELECT f.geom, min(geo.point_metres(f.geom, p.flat, p.k)) AS m
    FROM (SELECT DISTINCT nth, geom FROM found) f JOIN piece p ON p.nth = f.nth
    GROUP BY f.geom
), near AS MATERIALIZED (
    SELECT DISTINCT ON (f.id) f.*, s.m FROM found f JOIN spot s ON s.geom = f.geom WHERE s.m <= 50 ORDER BY f.id, f.part
)
SELECT (SELECT coalesce(json_agg(json_build_object('siret', id, 'name', name, 'naf', naf, 'label', NULL, 'headOffice', head_office,
        'employees', employees, 'distanceM', round(m)::int) ORDER BY m, id), '[]')
    FROM (SELECT * FROM near ORDER BY m, id LIMIT 25) n),
    to_json((SELECT count(*) FROM near))
