-- The legal persons that have a right on the parcel, by the newest edition that is loaded for it. An edition that is older
-- than the merger of a commune has the reference of then: 93059000AB0001 is 93066059AB0001 today, and a prefix that the
-- commune had already has stayed.
-- Indexes: enrich_legal_owner_id_idx, commune_code: one row, of a few owners; under a prefix two more for each former commune.
SELECT o->>'name' AS name, o->>'siren' AS siren, o->>'form' AS form, o->>'group' AS "group", o->>'groupLabel' AS group_label,
    o->>'right' AS "right", o->>'rightLabel' AS right_label, count(*) OVER () AS total
FROM (SELECT attrs->'owners' AS owners FROM geo.enrich_legal_owner
    WHERE id = ANY (ARRAY(SELECT @idu UNION ALL
        SELECT former || CASE substr(@idu, 6, 3) WHEN right(former, 3) THEN '000' ELSE substr(@idu, 6, 3) END || substr(@idu, 9)
        FROM geo.commune k, unnest(k.former_codes) AS former
        WHERE k.code = left(@idu, 5) AND k.type = 'commune-actuelle' AND substr(@idu, 6, 3) <> '000'))
    ORDER BY attrs->>'year' DESC, part LIMIT 1) e,
    jsonb_array_elements(e.owners) AS o
ORDER BY o->>'right', o->>'name', o->>'siren' LIMIT @limit
