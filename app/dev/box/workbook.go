package box

import (
	"bytes"
	"encoding/csv"

	"github.com/xuri/excelize/v2"
)

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
