-- Draws the shapes: 16 of each kind, some 2 500 rows. Corners are as many as real ones have: a field 12, a hedge or a
-- building plot 24, a zone of a plan 90, a clay zone 600, a nature park 4 000.
INSERT INTO geo.synthetic_form (kind, n, piece, geom)
WITH kind (kind, corners, square) AS (
    VALUES ('field', 12, false), ('plot', 24, false), ('zone', 90, true), ('wood', 60, false), ('area', 600, false), ('park', 4000, false)
), ring AS (
    SELECT k.kind, n, ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))) AS shape
    FROM kind k CROSS JOIN generate_series(0, 15) n
    CROSS JOIN LATERAL (SELECT hashtextextended(k.kind, n) AS dice) d
    CROSS JOIN LATERAL (
        SELECT ST_MakeLine(ST_MakePoint(r * cos(a) * edge, r * sin(a) * edge) ORDER BY i) AS line
        FROM generate_series(0, k.corners - 1) i
        CROSS JOIN LATERAL (SELECT 2 * pi() * i / k.corners AS a) angle
        CROSS JOIN LATERAL (SELECT CASE WHEN k.square THEN least(1 / abs(cos(a + 1e-9)), 1 / abs(sin(a + 1e-9))) ELSE 1 END AS edge) e
        CROSS JOIN LATERAL (SELECT CASE WHEN k.square THEN 0.97 + 0.03 * sin(5 * a + dice % 7)
            ELSE 0.78 + 0.12 * sin(2 * a + dice % 7) + 0.07 * sin(7 * a + dice % 11)
                + 0.03 * (hashint8extended(dice, i) & 1023) / 1023 END AS r) radius) l
)
SELECT kind, n, row_number() OVER (PARTITION BY kind, n ORDER BY part.path)::integer, ST_SetSRID(part.geom, 4326)
FROM ring CROSS JOIN LATERAL ST_Dump(CASE WHEN ST_NPoints(shape) > 128 THEN (SELECT ST_Collect(s) FROM ST_Subdivide(shape,
    128) s) ELSE shape END) part;

-- Ways from (-1, 0) to (1, 0): a road of 24 corners, a stream of 60, a river or a coast of 500.
INSERT INTO geo.synthetic_form (kind, n, piece, geom)
WITH kind (kind, corners, bend) AS (
    VALUES ('road', 24, 0.04), ('stream', 60, 0.15), ('river', 500, 0.2)
), way AS (
    SELECT k.kind, n, line AS shape
    FROM kind k CROSS JOIN generate_series(0, 15) n
    CROSS JOIN LATERAL (SELECT hashtextextended(k.kind, n) AS dice) d
    CROSS JOIN LATERAL (
        SELECT ST_MakeLine(ST_MakePoint(2.0 * i / (k.corners - 1) - 1, k.bend * (sin(9.0 * i / k.corners + dice % 7)
            + 0.3 * sin(40.0 * i / k.corners + dice % 11) + 0.05 * (hashint8extended(dice, i) & 1023) / 1023)) ORDER BY i) AS line
        FROM generate_series(0, k.corners - 1) i) l
)
SELECT kind, n, row_number() OVER (PARTITION BY kind, n ORDER BY part.path)::integer, ST_SetSRID(part.geom, 4326)
FROM way CROSS JOIN LATERAL ST_Dump(CASE WHEN ST_NPoints(shape) > 128 THEN (SELECT ST_Collect(s) FROM ST_Subdivide(shape,
    128) s) ELSE shape END) part;
ANALYZE geo.synthetic_form;
