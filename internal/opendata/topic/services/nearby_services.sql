-- The number of facilities of each domain near the parcel. In the local plane around the parcel, scaled like the
-- ellipsoid at its middle, distances are correct to a few metres; close to the limit they are measured on the ellipsoid,
-- which is expensive for a parcel of thousands of vertices.
-- Index: enrich_facility_geom_idx. Some 300 rows, up to 15 000 in the centre of Paris.
WITH place AS MATERIALIZED (
    SELECT @shape::geometry AS shape, radians(ST_Y(ST_Centroid(ST_Envelope(@shape::geometry)))) AS latitude
), scale AS MATERIALIZED (
    -- A degree of longitude in degrees of latitude, and one of latitude in metres.
    SELECT shape, cos(latitude) * (1 - 0.00669438 * sin(latitude) ^ 2) / (1 - 0.00669438) AS k,
        radians(6335439.3) / (1 - 0.00669438 * sin(latitude) ^ 2) ^ 1.5 AS degree
    FROM place
), here AS MATERIALIZED (
    SELECT geo.flat(shape, k) AS flat, k, degree, geo.around(shape, @radius) AS wide, shape::geography AS ground FROM scale
), near AS (
    SELECT left(t.attrs->>'type', 1) AS domain
    FROM here h JOIN geo.enrich_facility t ON t.geom && h.wide
        CROSS JOIN LATERAL (SELECT ST_Distance(h.flat, geo.flat(t.geom, h.k)) * h.degree AS m OFFSET 0) d
    WHERE d.m < @radius - 4 OR d.m < @radius + 4 AND ST_Distance(t.geom::geography, h.ground) <= @radius
)
SELECT count(*) FILTER (WHERE domain = 'A') AS services, count(*) FILTER (WHERE domain = 'B') AS shops,
    count(*) FILTER (WHERE domain = 'C') AS education, count(*) FILTER (WHERE domain = 'D') AS health,
    count(*) FILTER (WHERE domain = 'E') AS transport, count(*) FILTER (WHERE domain = 'F') AS sports,
    count(*) FILTER (WHERE domain = 'G') AS tourism, count(*) AS total
FROM near
