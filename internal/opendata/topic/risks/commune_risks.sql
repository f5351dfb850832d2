-- The risks listed for the commune of a parcel, or for its arrondissement, families before details.
-- Index: enrich_commune_risk_commune_idx: some ten rows.
SELECT attrs->>'code' AS code, min(attrs->>'label') AS label, count(*) OVER () AS total
FROM geo.enrich_commune_risk WHERE commune = ANY (@communes)
GROUP BY 1 ORDER BY length(attrs->>'code'), 1 LIMIT @limit
