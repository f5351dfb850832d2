-- The travel times of the commune: of the arrondissement where the table has it.
-- Index: enrich_travel_time_commune_idx. One or two rows.
SELECT (
    SELECT json_build_object('parisRoadMin', (attrs->>'parisRoadMin')::int, 'parisRailMin', (attrs->>'parisRailMin')::int,
        'prefectureRoadMin', (attrs->>'prefectureRoadMin')::int, 'method', attrs->>'method', 'year', (attrs->>'year')::int)
    FROM geo.enrich_travel_time
    WHERE commune IN (@arrondissement, @commune)
    ORDER BY commune = @arrondissement DESC, id, part LIMIT 1)
