-- The pH of the soil under the parcel at two depths. The grid holds ten times the pH.
-- Index: enrich_raster_geom_idx (a tile or two a depth).
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape)
SELECT round((top.mean / 10)::numeric, 1) AS ph0to5, round((below.mean / 10)::numeric, 1) AS ph5to15, 'SoilGrids' AS source,
    round(coalesce(top.cell_m, below.cell_m))::int AS resolution_m
FROM here h
LEFT JOIN LATERAL geo.grid_mean('soil_ph_0_5', h.shape) top ON true
LEFT JOIN LATERAL geo.grid_mean('soil_ph_5_15', h.shape) below ON true
WHERE coalesce(top.mean, below.mean) IS NOT NULL
