-- The legal persons that have a right on the parcel, by the newest edition that is loaded for it.
-- Index: enrich_legal_owner_id_idx: one row, of a few owners.
SELECT o->>'name' AS name, o->>'siren' AS siren, o->>'form' AS form, o->>'group' AS "group", o->>'groupLabel' AS group_label,
    o->>'right' AS "right", o->>'rightLabel' AS right_label, count(*) OVER () AS total
FROM (SELECT attrs->'owners' AS owners FROM geo.enrich_legal_owner WHERE id = @idu ORDER BY attrs->>'year' DESC, part LIMIT 1) e,
    jsonb_array_elements(e.owners) AS o
ORDER BY o->>'right', o->>'name', o->>'siren' LIMIT @limit
