-- The historic aerial photographs that show the parcel, and whether the orthophoto of 1950 does. What is not loaded for
-- the place is null, even if something of the next one overlaps it.
-- Index: enrich_aerial_survey_geom_idx. Some hundred rows.
WITH here AS MATERIALIZED (
    SELECT ST_Subdivide(@shape::geometry, 128) AS shape
), loaded AS MATERIALIZED (
    SELECT 'aerial_survey' = ANY (@covered::text[]) AS missions, 'orthophoto_1950' = ANY (@covered::text[]) AS orthophoto
), found AS MATERIALIZED (
    SELECT t.attrs->>'mission' AS mission, (t.attrs->>'year')::integer AS year
    FROM here h JOIN geo.enrich_aerial_survey t ON t.geom && h.shape AND ST_Intersects(t.geom, h.shape)
    WHERE CASE WHEN t.attrs ? 'orthophoto' THEN (SELECT orthophoto FROM loaded) ELSE (SELECT missions FROM loaded) END
)
SELECT CASE WHEN t.missions THEN count(DISTINCT f.mission) END AS missions, min(f.year) AS first_year, max(f.year) AS last_year,
    CASE WHEN t.missions THEN coalesce(array_agg(DISTINCT f.year ORDER BY f.year) FILTER (WHERE f.mission IS NOT NULL), '{}') END AS years,
    CASE WHEN t.orthophoto THEN bool_or(f.mission IS NULL) END AS orthophoto1950
FROM loaded t, found f GROUP BY t.missions, t.orthophoto
