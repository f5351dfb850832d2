package report

import (
	"io/fs"
	"strconv"
	"strings"
)

// ForCommunes returns a statement of the report as one that answers for every commune of today: its code, as
// the column place, then the columns of the statement. The rows of a commune are in the order of the
// statement, which is to ask by the codes of the commune alone, and by an index on them. It returns an error
// for a missing file.
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

// selectCommunes reads each commune with its own code and those of its arrondissements. 35 000 rows.
const selectCommunes = `SELECT k.code AS place, s.* FROM (
	SELECT c.code, array_agg(p.code::text) AS codes FROM geo.commune c
	JOIN geo.commune p ON p.commune_code = c.code AND p.type IN ('commune-actuelle', 'arrondissement-municipal')
	WHERE c.type = 'commune-actuelle' GROUP BY c.code) k
`
