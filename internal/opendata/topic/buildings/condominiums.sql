-- The condominiums that name the parcel, the largest first.
-- Index: condominium_parcels_idx. One row as a rule; some tens on a slab.
SELECT id AS registration_number, name, address, total_lots, main_lots, housing_lots, parking_lots,
    built_period, syndic_type, syndic, syndic_siren, updated::text AS updated_on, parcels, parcel_count,
    count(*) OVER () AS total
FROM geo.condominium
WHERE parcels @> ARRAY[@idu::text]
ORDER BY total_lots DESC NULLS LAST, id LIMIT @limit
