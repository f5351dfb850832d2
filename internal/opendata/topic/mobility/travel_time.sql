-- The travel times of the commune: of the arrondissement where the table has it.
-- Index: enrich_travel_time_commune_idx. One or two rows.
SELECT (attrs->>'parisRoadMin')::int AS paris_road_min, (attrs->>'parisRailMin')::int AS paris_rail_min,
    (attrs->>'prefectureRoadMin')::int AS prefecture_road_min, attrs->>'method' AS method, (attrs->>'year')::int AS year
FROM geo.enrich_travel_time
WHERE commune IN (@arrondissement, @commune)
ORDER BY commune = @arrondissement DESC, id, part LIMIT 1
