-- A tile of the priority districts, each with its name. Shapes are stored in parts, which are joined again.
-- Index: enrich_qpv_geom_idx. Some hundred parts at zoom 9, a few at zoom 12.
WITH tile AS MATERIALIZED (
    SELECT ST_TileEnvelope(@z, @x, @y) AS box, ST_Transform(ST_TileEnvelope(@z, @x, @y, margin => 1.0 / 64), 4326) AS around
), cut AS MATERIALIZED (
    SELECT t.part, t.id, t.attrs, ST_AsMVTGeom(ST_Transform(t.geom, 3857), tile.box, 2048, 32) AS shape
    FROM tile JOIN geo.enrich_qpv t ON t.geom && tile.around
    LIMIT @limit
), drawn AS (
    SELECT hashtext(part || ' ' || id) & 2147483647 AS nth, attrs->>'name' AS name, ST_UnaryUnion(ST_Collect(shape)) AS shape
    FROM cut WHERE shape IS NOT NULL GROUP BY part, id, attrs
)
SELECT ST_AsMVT(drawn, 'areas', 2048, 'shape', 'nth') AS tile, (SELECT count(*) FROM cut) AS parts FROM drawn
