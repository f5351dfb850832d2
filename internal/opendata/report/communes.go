package report

import (
	"io/fs"
	"strconv"
	"strings"
)

// ForCommunes returns a statement of the report as one that answers for every commune of today and every
// arrondissement: its code, as the column place, then the columns of the statement. The rows of a place are
// in the order of the statement, which is to ask by the codes of the commune alone, and by an index on them.
// A city is asked for with its arrondissements, an arrondissement with its city, as the report of a parcel
// does. ForCommunes returns an error for a missing file.
func ForCommunes(files fs.FS, file string, args Args) (string, error) {
	text, err := fs.ReadFile(files, file)
	if err != nil {
		return "", err
	}
	// The longer name first: @commune also begins @communes.
	columns := []string{"@communes", "k.codes", "@commune", "k.code", "@arrondissement", "k.code"}
	for name, n := range args {
		columns = append(columns, "@"+name, strconv.Itoa(n))
	}
	statement := strings.NewReplacer(columns...).Replace(string(text))
	return selectCommunes + "CROSS JOIN LATERAL (\n" + statement + "\n) s", nil
}

// selectCommunes reads each commune with its own code and those of its arrondissements, and each
// arrondissement with its own code and that of its city. 35 000 rows.
const selectCommunes = `SELECT k.code AS place, s.* FROM (
	SELECT c.code, array_agg(p.code::text) AS codes FROM geo.commune c
	JOIN geo.commune p ON p.commune_code = c.code AND p.type IN ('commune-actuelle', 'arrondissement-municipal')
	WHERE c.type = 'commune-actuelle' GROUP BY c.code
	UNION ALL SELECT code, ARRAY[code, commune_code]::text[] FROM geo.commune
	WHERE type = 'arrondissement-municipal' AND commune_code IS NOT NULL) k
`
