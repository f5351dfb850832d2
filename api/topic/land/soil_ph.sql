-- The pH of the soil under the parcel at two depths. The grid holds ten times the pH.
-- Index: enrich_raster_geom_idx (a tile or two a depth). One row.
WITH here AS MATERIALIZED (SELECT @shape::geometry AS shape)
SELECT CASE WHEN coalesce(top.mean, below.mean) IS NOT NULL THEN json_build_object(
    'ph0to5', round((top.mean / 10)::numeric, 1), 'ph5to15', round((below.mean / 10)::numeric, 1),
    'source', 'SoilGrids', 'resolutionM', round(coalesce(top.cell_m, below.cell_m))::int) END
FROM here h
LEFT JOIN LATERAL geo.grid_mean('soil_ph_0_5', h.shape) top ON true
LEFT JOIN LATERAL geo.grid_mean('soil_ph_5_15', h.shape) below ON true
