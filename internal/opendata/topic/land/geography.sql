-- The elevation of the parcel, and its distance to the coast and to the mountains. What is not loaded for the place is
-- null.
-- Indexes: enrich_raster_geom_idx (a tile or two), enrich_coast_sphere and enrich_mountain_sphere, nearest first (some
-- tens of parts; hundreds in the middle of the country).
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape)
SELECT round(ground.mean::numeric, 1) AS elevation_m, ground.cell_m AS elevation_resolution_m, round(sea.metres)::int AS coast_distance_m,
    round(mountain.metres)::int AS mountain_distance_m, CASE WHEN mountain.metres = 0 THEN mountain.massif END AS massif
FROM here h
LEFT JOIN LATERAL geo.grid_mean('elevation', h.shape) ground ON 'elevation' = ANY (@covered::text[])
LEFT JOIN LATERAL geo.coast_metres(h.shape) sea(metres) ON 'coast' = ANY (@covered::text[])
LEFT JOIN LATERAL geo.nearest_mountain(h.shape) mountain ON 'mountain' = ANY (@covered::text[])
WHERE coalesce(ground.mean, sea.metres, mountain.metres) IS NOT NULL
