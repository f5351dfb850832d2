-- The condominiums of the stage that are on a parcel ("joined"). The syndic is served where it is a
-- professional and a legal person: by its name, or because Sirene lists it as a company.
-- Index: sirene_company_id_idx.
SELECT s.id, s.name, s.address, nullif(s.lots, 0) AS total_lots, s.main_lots, s.housing_lots, s.parking_lots,
    s.built_period, s.updated,
    CASE WHEN y.professional THEN 'professional'
        WHEN s.kind ILIKE 'b_n_vole%' THEN 'volunteer' END AS syndic_type,
    y.name AS syndic,
    CASE WHEN s.siret ~ '^[0-9]{14}$' AND y.name IS NOT NULL THEN left(s.siret, 9) END AS syndic_siren,
    p.parcels, s.parcel_count
FROM stage s JOIN joined p ON p.place = s.ctid CROSS JOIN LATERAL (
    SELECT k.professional, CASE WHEN k.professional THEN coalesce(s.organisation, CASE WHEN EXISTS (
        SELECT FROM geo.sirene_company c WHERE c.id = left(s.siret, 9)) THEN s.representative END) END AS name
    FROM (SELECT s.kind ILIKE 'professionnel%') k(professional) OFFSET 0) y
