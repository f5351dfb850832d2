package coverage

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
)

// placeIndex are the départements and communes of today. A unit is the least that a load can cover: a
// commune, or an arrondissement of Paris, Lyon and Marseille.
type placeIndex struct {
	departements []Departement
	communes     []commune
	// by the code of an area: commune, arrondissement, former commune, département
	units     map[string][]int32
	former    map[string]bool // codes that are no commune's of today: they cover a part of it
	unitCount int             // of units
}

type commune struct {
	departement int
	units       []int32
}

const (
	readDepartements = `SELECT code, name FROM geo.departement ORDER BY code`
	readCommunes     = `
SELECT type, code, coalesce(departement_code, ''), coalesce(commune_code, ''), former_codes FROM geo.commune
ORDER BY type <> 'commune-actuelle', type <> 'arrondissement-municipal', code`
)

// readPlaces reads the code officiel géographique, some 38 000 rows.
func readPlaces(ctx context.Context, tx pgx.Tx) (*placeIndex, error) {
	p := &placeIndex{units: map[string][]int32{}, former: map[string]bool{}}
	rows, _ := tx.Query(ctx, readDepartements) // the rows have its error too
	var d Departement
	_, err := pgx.ForEachRow(rows, []any{&d.Code, &d.Name}, func() error {
		p.departements = append(p.departements, d)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, p.readCommunes(ctx, tx)
}

func (p *placeIndex) readCommunes(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, readCommunes) // the rows have its error too
	var kind, code, departement, now string
	var formerCodes []string
	byCode := map[string]int{}
	parts := map[int][]string{} // arrondissements by commune
	former := map[string]int{}
	_, err := pgx.ForEachRow(rows, []any{&kind, &code, &departement, &now, &formerCodes}, func() error {
		if kind == "commune-actuelle" {
			if at, known := p.findDepartement(departement); known {
				byCode[code] = len(p.communes)
				p.communes = append(p.communes, commune{departement: at})
				p.departements[at].Communes++
			}
		}
		at, known := byCode[cmp.Or(now, code)]
		switch {
		case !known: // of a collectivity that is no département
		case kind == "arrondissement-municipal":
			parts[at] = append(parts[at], code)
		default:
			for _, c := range append(formerCodes, code) {
				former[c] = at
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	p.numberUnits(byCode, parts, former)
	return nil
}

// numberUnits gives each unit its number, and each code its units.
func (p *placeIndex) numberUnits(byCode map[string]int, parts map[int][]string, former map[string]int) {
	for code, at := range byCode {
		names := parts[at]
		if names == nil {
			names = []string{code}
		}
		for _, name := range names {
			unit := int32(p.unitCount)
			p.unitCount++
			p.communes[at].units = append(p.communes[at].units, unit)
			p.units[name] = []int32{unit}
		}
		p.units[code] = p.communes[at].units
		departement := p.departements[p.communes[at].departement].Code
		p.units[departement] = append(p.units[departement], p.communes[at].units...)
	}
	for code, at := range former {
		if p.units[code] == nil {
			p.units[code], p.former[code] = p.communes[at].units, true
		}
	}
}

func (p *placeIndex) findDepartement(code string) (at int, known bool) {
	return slices.BinarySearchFunc(p.departements, code,
		func(d Departement, code string) int { return cmp.Compare(d.Code, code) })
}
