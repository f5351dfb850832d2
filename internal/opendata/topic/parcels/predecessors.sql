-- The parcels that are gone in whose place the parcel is: the overlap is at least a twentieth of one of the
-- two, as gone.sql of package parcel finds successors. The one that covers most of the parcel comes first.
-- Without one there is one row, whose idu is empty.
-- known: parcels of the commune are gone, which takes an earlier edition that was loaded. oldest: without a predecessor
-- the oldest edition that had one of these, some thousand of the commune.
-- Indexes: parcelle_passee_geom, parcelle_passee_pkey. Mostly no row, of some five candidates.
WITH own AS MATERIALIZED (
    SELECT geom, ST_Area(geom) AS area FROM (SELECT @shape::geometry AS geom) s
), former AS MATERIALIZED (
    SELECT g.idu, g.vintage, ST_Area(g.geom) AS area, o.area AS own_area,
        ST_Area(coalesce(ST_Difference(mine.geom, later.geom), mine.geom)) AS overlap
    FROM own o JOIN geo.parcelle_passee g ON ST_Intersects(g.geom, o.geom)
    CROSS JOIN LATERAL (SELECT ST_Intersection(g.geom, o.geom) AS geom OFFSET 0) mine
    CROSS JOIN LATERAL (SELECT ST_Union(ST_Intersection(n.geom, g.geom)) AS geom
        FROM (SELECT ST_GeomFromEWKB(u.outline) AS geom
            FROM unnest(@nearIDUs::text[], @nearOutlines::bytea[]) AS u (idu, outline) WHERE u.idu > @idu OFFSET 0) n
        WHERE ST_Intersects(n.geom, g.geom)) later
), listed AS (
    SELECT f.idu, f.vintage::text AS last_seen, f.overlap,
        round((100 * least(f.overlap / nullif(f.area, 0), 1))::numeric, 1) AS share_pct,
        round((100 * least(f.overlap / nullif(f.own_area, 0), 1))::numeric, 1) AS parcel_share_pct,
        count(*) OVER () AS total
    FROM former f WHERE f.overlap >= 0.05 * least(f.area, f.own_area)
    ORDER BY f.overlap DESC, f.idu LIMIT @limit
)
SELECT coalesce(l.idu, '') AS idu, l.last_seen, l.share_pct, l.parcel_share_pct, coalesce(l.total, 0) AS total, k.known,
    CASE WHEN k.known AND l.idu IS NULL THEN (SELECT min(o.vintage)::text FROM geo.parcelle_passee o
        WHERE o.idu >= left(@idu, 5) AND o.idu <= left(@idu, 5) || 'ZZZZZZZZZ') END AS oldest
FROM (SELECT coalesce(min(g.idu) <= left(@idu, 5) || 'ZZZZZZZZZ', false) AS known
    FROM geo.parcelle_passee g WHERE g.idu >= left(@idu, 5)) k
LEFT JOIN listed l ON true
ORDER BY l.overlap DESC, l.idu
