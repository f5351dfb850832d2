-- A tile of the risk-prevention plans: their regulatory zones, with code and name, and the outline of each plan, which is
-- its document joined with its perimeter, with the plan's name and state.
-- Index: enrich_ppr_zone_geom_idx. Some hundred parts at zoom 12.
WITH tile AS MATERIALIZED (
    SELECT ST_TileEnvelope(@z, @x, @y) AS box, ST_Transform(ST_TileEnvelope(@z, @x, @y, margin => 1.0 / 64), 4326) AS around
), cut AS MATERIALIZED (
    SELECT t.attrs, CASE t.attrs->>'form' WHEN 'zone' THEN t.part || ' ' || t.id ELSE t.attrs->>'plan' END AS area,
        ST_AsMVTGeom(ST_Transform(t.geom, 3857), tile.box, 2048, 32) AS shape
    FROM tile JOIN geo.enrich_ppr_zone t ON t.geom && tile.around
    LIMIT @limit
), drawn AS (
    SELECT hashtext(area) & 2147483647 AS nth, coalesce(max(attrs->>'code'), max(attrs->>'name'), max(attrs->>'plan')) AS name,
        max(attrs->>'label') AS label, coalesce(max(attrs->>'state'), min(nullif(attrs->>'form', 'document')), 'perimeter') AS type,
        ST_UnaryUnion(ST_Collect(shape)) AS shape
    FROM cut WHERE shape IS NOT NULL GROUP BY area
)
SELECT ST_AsMVT(drawn, 'areas', 2048, 'shape', 'nth') AS tile, (SELECT count(*) FROM cut) AS parts FROM drawn
