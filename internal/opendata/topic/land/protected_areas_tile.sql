-- A tile of the protected areas, with their name and type. An area that two sources have is drawn once.
-- Index: enrich_protected_area_geom_idx. Some hundred parts at zoom 11.
WITH tile AS MATERIALIZED (
    SELECT ST_TileEnvelope(@z, @x, @y) AS box, ST_Transform(ST_TileEnvelope(@z, @x, @y, margin => 1.0 / 64), 4326) AS around
), cut AS MATERIALIZED (
    SELECT t.attrs, ST_AsMVTGeom(ST_Transform(t.geom, 3857), tile.box, 2048, 32) AS shape
    FROM tile JOIN geo.enrich_protected_area t ON t.geom && tile.around
    LIMIT @limit
), drawn AS (
    SELECT hashtext(attrs::text) & 2147483647 AS nth, coalesce(attrs->>'name', attrs->>'code') AS name, attrs->>'type' AS type,
        ST_UnaryUnion(ST_Collect(shape)) AS shape
    FROM cut WHERE shape IS NOT NULL GROUP BY attrs
)
SELECT ST_AsMVT(drawn, 'areas', 2048, 'shape', 'nth') AS tile, (SELECT count(*) FROM cut) AS parts FROM drawn
