package box

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/shakinm/xlsReader/xls"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
)

// convertLegalPopulations writes the sheet of communes of the workbook of legal populations of 2016 in the
// layout of INSEE's list of 2023: code of the commune, municipal population and total population.
func convertLegalPopulations(full []byte) ([]byte, error) {
	workbook, err := xls.OpenReader(bytes.NewReader(full))
	if err != nil {
		return nil, err
	}
	for i := range workbook.GetNumberSheets() {
		sheet, err := workbook.GetSheet(i)
		if err != nil {
			return nil, err
		}
		if sheet.GetName() != "Communes" {
			continue
		}
		out := table{separator: ';', header: []string{"COM", "PMUN", "PTOT"}}
		var at map[string]int
		for _, line := range sheet.GetRows() {
			var cells []string
			for _, c := range line.GetCols() {
				cells = append(cells, decodeLatin(c.GetString()))
			}
			if at == nil {
				at = headerOf(cells, "Code département", "Code commune", "Population municipale",
					"Population totale")
				continue
			}
			if len(cells) <= at["Population totale"] || strings.TrimSpace(cells[at["Code commune"]]) == "" {
				continue
			}
			code, err := communeCode(cells[at["Code département"]], cells[at["Code commune"]])
			if err != nil {
				return nil, err
			}
			out.rows = append(out.rows, []string{code, trimDecimals(cells[at["Population municipale"]]),
				trimDecimals(cells[at["Population totale"]])})
		}
		return out.encodeCSV()
	}
	return nil, fmt.Errorf("it has no sheet Communes")
}

// decodeLatin returns a text of the workbook, of which the library gives those
// of one byte a character as they are stored.
func decodeLatin(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	decoded, err := charmap.Windows1252.NewDecoder().String(text)
	if err != nil {
		return text
	}
	return decoded
}

// headerOf returns the places of columns, nil if the row is not the one with their names.
func headerOf(cells []string, names ...string) map[string]int {
	at := map[string]int{}
	for i, c := range cells {
		at[strings.TrimSpace(c)] = i
	}
	for _, name := range names {
		if _, there := at[name]; !there {
			return nil
		}
	}
	return at
}

// communeCode joins the columns of département and commune. Overseas the code of the commune begins with
// the last digit of the département.
func communeCode(departement, commune string) (string, error) {
	departement, commune = strings.TrimSpace(departement), strings.TrimSpace(commune)
	number, err := strconv.Atoi(commune)
	if err != nil {
		return "", fmt.Errorf("the code %s of a commune is not a number", commune)
	}
	code := fmt.Sprintf("%0*d", 5-min(len(departement), 2), number)
	return departement[:2] + code, nil
}

// trimDecimals removes the decimals that a workbook adds to whole numbers.
func trimDecimals(cell string) string { return strings.TrimSuffix(strings.TrimSpace(cell), ".0") }

// firstSheet writes the first sheet of a workbook as a delimited file.
func firstSheet(full []byte) ([]byte, error) {
	workbook, err := excelize.OpenReader(bytes.NewReader(full), excelize.Options{RawCellValue: true})
	if err != nil {
		return nil, err
	}
	defer workbook.Close()
	rows, err := workbook.Rows(workbook.GetSheetName(0))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	w.Comma = ';'
	width := 0
	for rows.Next() {
		cells, err := rows.Columns(excelize.Options{RawCellValue: true})
		if err != nil {
			return nil, err
		}
		width = max(width, len(cells))
		if err := w.Write(append(cells, make([]string, width-len(cells))...)); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}
