package source

import (
	"arpent/internal/opendata/ingest/fetch"
	"arpent/internal/opendata/ingest/fetch/producer"
)

// BDTopo is where the tables of BD TOPO are published as Shapefiles, all of a département in one archive.
var BDTopo = []fetch.Origin{{
	From:   producer.Geoplateforme{Product: "BDTOPO", Format: "SHP", Edition: `^BDTOPO_3-[0-9]_TOUSTHEMES_`},
	Area:   fetch.Departement,
	Rhythm: "quarterly",
	Note:   "15 March, June, September and December. Overseas the name of the edition has another projection.",
}}

// BDTopoArchive matches the archive of the Shapefiles.
var BDTopoArchive = Files{Path: `(?i)(^|/)BDTOPO_([^/]*_)?SHP_[^/]*` + IGNDelivery + `[^/]*\.7z(\.001)?$`}

// IGNDelivery matches the scope and the date in the name of an IGN delivery: all
// of the mainland, a région or a département.
const IGNDelivery = `_(?P<scope>FXX|FR|R[0-9]{2}|D?[0-9]{2,3}|D?0?2[AB])(-ED|_)(?P<vintage>(?P<year>[0-9]{4})-[0-9]{2}-[0-9]{2})`

// IGNAreas selects the départements of such a delivery, or the commune that a file is named after.
const IGNAreas = `SELECT d.code FROM geo.departement d, this_load t
WHERE t.scope IN (d.code, 'D' || d.code, '0' || d.code, 'D0' || d.code, 'R' || d.region_code)
	OR t.scope IN ('FXX', 'FR', '000') AND char_length(d.code) = 2
UNION SELECT k.code FROM geo.commune k, this_load t WHERE k.code = t.scope AND k.type = 'commune-actuelle'`

// SevenZip matches the end of the name of a 7z archive, or of the first
// of its volumes. The others are read with it.
const SevenZip = `7z(\.001)?`

// InDelivery matches a file anywhere in the folder of a delivery, the delivery's own package, or its archive
// as IGN publishes it. Of the archive that file is read which the unpacked delivery would have. Its name says
// which format it holds: BDTOPO_3-5_TOUSTHEMES_GPKG_LAMB93_D031_2026-06-15.7z.001.
func InDelivery(product, file, extension string) []Files {
	return []Files{
		{Path: `(?i)(^|/)` + product + `[^/]*` + IGNDelivery + `[^/]*/(.*/)?` + file + `\.` + extension + `$`},
		{Path: `(?i)(^|/)` + product + `[^/]*` + IGNDelivery + `[^/]*\.` + extension + `(\.gz)?$`},
		{Path: `(?i)(^|/)` + product + `([^/]*_)?` + extension + `_[^/]*` + IGNDelivery + `[^/]*\.` +
			SevenZip + `$`},
	}
}
