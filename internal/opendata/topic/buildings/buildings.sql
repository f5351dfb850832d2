-- The buildings on a parcel, the largest footprint on it first.
-- Indexes: building_idu_idx, building_object_id_idx. One or two rows; a hundred for a housing estate.
-- A building at the border of a département may be in the files of both.
SELECT b.id AS rnb_id, b.status, round((b.area * b.share)::numeric, 1) AS footprint_m2,
    round((100 * b.share)::numeric, 1) AS share_pct,
    round(CASE WHEN c.pct > 100 THEN 100 ELSE c.pct END::numeric, 1) AS parcel_share_pct,
    round(o.height::numeric, 1) AS height_m, o.floors, o.use, o.second_use, o.dwellings, o.built_year,
    CASE WHEN o.id IS NOT NULL THEN 'matched' WHEN 'building_object' = ANY (@covered::text[]) THEN 'unmatched'
        ELSE 'not_loaded' END AS details,
    count(*) OVER () AS total
FROM (
    SELECT DISTINCT ON (id) id, status, least(share, 1) AS share, area FROM geo.building
    WHERE idu = @idu ORDER BY id, part
) b CROSS JOIN LATERAL (
    SELECT 100 * b.area * b.share / nullif(ST_Area(@shape::geometry::geography), 0) AS pct
) c LEFT JOIN LATERAL (
    SELECT d.* FROM geo.building_object d WHERE d.id = b.id ORDER BY d.part LIMIT 1
) o ON true
ORDER BY b.area * b.share DESC NULLS LAST, b.id LIMIT @limit
