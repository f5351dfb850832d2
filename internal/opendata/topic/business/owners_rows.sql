-- The parcels of a load, each with the legal persons that have a right on it: the file has a row for each right on each
-- part of the parcel. A SIREN number says who a person is, as the name does: it goes with the name. Of "4 - Commune" the
-- code and the label are given apart; older editions have the code alone.
SELECT p.id, left(p.id, 5) AS commune, jsonb_build_object('year', max(p.edition), 'owners', jsonb_agg(DISTINCT jsonb_build_object(
    'name', p.name, 'siren', CASE WHEN p.name IS NOT NULL AND p.siren ~ '^[0-9]{9}$' THEN p.siren END, 'form', p.form,
    'group', left(p."group", 1), 'groupLabel', nullif(regexp_replace(p."group", '^[0-9] *-? *', ''), ''),
    'right', substring(p."right" FROM '^[A-Z0-9]+'), 'rightLabel', nullif(regexp_replace(p."right", '^[A-Z0-9]+ *-? *', ''), '')))) AS attrs
FROM (
    SELECT s.siren, s.form, s."group", s."right", coalesce(s.vintage, s.year) AS edition,
        CASE WHEN coalesce(s.form, '') !~*
            'indivis|succession|consorts|entrepreneur individuel|entreprise individuelle' THEN s.name END AS name,
        left(s.departement, 2) || s.commune || coalesce(s.prefix, '000') || s.section || s.plan AS id
    FROM stage s) p
GROUP BY p.id
