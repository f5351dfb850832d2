package source

// IGNDelivery matches the scope and the date in the name of an IGN delivery: all of the mainland, a région or a
// département.
const IGNDelivery = `_(?P<scope>FXX|FR|R[0-9]{2}|D?[0-9]{2,3}|D?0?2[AB])(-ED|_)(?P<vintage>(?P<year>[0-9]{4})-[0-9]{2}-[0-9]{2})`

// IGNAreas selects the départements of such a delivery, or the commune that a file is named after.
const IGNAreas = `SELECT d.code FROM geo.departement d, this_load t
WHERE t.scope IN (d.code, 'D' || d.code, '0' || d.code, 'D0' || d.code, 'R' || d.region_code)
	OR t.scope IN ('FXX', 'FR', '000') AND char_length(d.code) = 2
UNION SELECT k.code FROM geo.commune k, this_load t WHERE k.code = t.scope AND k.type = 'commune-actuelle'`

// InDelivery matches a file anywhere in the folder of a delivery, or the delivery's own archive or package.
func InDelivery(product, file, extension string) []Files {
	return []Files{
		{Path: `(?i)(^|/)` + product + `[^/]*` + IGNDelivery + `[^/]*/(.*/)?` + file + `\.` + extension + `$`},
		{Path: `(?i)(^|/)` + product + `[^/]*` + IGNDelivery + `[^/]*\.` + extension + `(\.gz)?$`},
	}
}
