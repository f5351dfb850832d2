package spreadsheet

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
)

func (s *xlsxSheet) Close() error { return s.member.Close() }

// Row reads on to the end of the next row.
func (s *xlsxSheet) Row() (int, []string, error) {
	for !s.done {
		token, err := s.xml.RawToken()
		if err != nil {
			return 0, nil, fmt.Errorf("after row %d: %w", s.number, cutXML(err))
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "row":
				err = s.begin(attribute(t, "r"))
			case "c":
				err = s.cell(t)
			}
			if err != nil {
				return 0, nil, fmt.Errorf("in row %d: %w", s.number, err)
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "row":
				return s.number, s.cells, nil
			case "sheetData":
				s.done = true
			}
		}
	}
	// What follows is of no interest, but a damaged file shows only at its end.
	if _, err := io.Copy(io.Discard, s.member); err != nil {
		return 0, nil, fmt.Errorf("read the end of the sheet: %w", err)
	}
	return 0, nil, io.EOF
}

// begin starts a row. One that does not say its number is the next.
func (s *xlsxSheet) begin(number string) error {
	s.cells = s.cells[:0]
	if number == "" {
		s.number++
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n <= s.number || n > maxSheetRows {
		return fmt.Errorf("the next row has the number %.60q", number)
	}
	s.number = n
	return nil
}

// cell reads a cell. One that does not say its place is beside the one before.
func (s *xlsxSheet) cell(start xml.StartElement) error {
	at := len(s.cells)
	if name := attribute(start, "r"); name != "" {
		var err error
		if at, err = columnOf(name); err != nil {
			return err
		}
	}
	if at >= maxSheetColumns {
		return errors.New("it has too many cells")
	}
	kind := attribute(start, "t")
	text, err := s.content(kind)
	if err != nil {
		return err
	}
	if text, err = s.value(kind, attribute(start, "s"), text); err != nil {
		return err
	}
	s.cells = put(s.cells, at, text)
	return nil
}

// content is the text of the value of a cell, up to the end of the cell.
func (s *xlsxSheet) content(kind string) (string, error) {
	if kind == "inlineStr" {
		return xmlText(s.xml, "c")
	}
	text, inValue := "", false
	for {
		token, err := s.xml.RawToken()
		if err != nil {
			return "", cutXML(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			inValue = t.Name.Local == "v"
		case xml.CharData:
			if inValue {
				text += string(t)
			}
		case xml.EndElement:
			inValue = false
			if t.Name.Local == "c" {
				return text, nil
			}
		}
	}
}
