package box

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// outlinesFile is the file of outlines in the box.
const outlinesFile = "outlines/communes.topo.json.gz"

// Outlines are generalised by outlineTolerance. Their vertices lie on a grid of 1/outlineGrid degrees: 11 m
// from south to north, 8 m from west to east. Gaps between neighbours that are narrower than outlineGap are
// closed: along the borders of départements whose outlines come from different editions.
const (
	outlineTolerance = "20m"
	outlineGrid      = 1e4
	outlineGap       = "150m"
	outlinesTimeout  = 20 * time.Minute
)

var (
	nationalOutlines       = regexp.MustCompile(`(^|/)admin/communes-5m-20[0-9]{2}\.geojson(\.gz)?$`)
	departementOutlines    = regexp.MustCompile(`(^|/)admin/communes-10m/communes-[0-9AB]{2,3}\.geojson(\.gz)?$`)
	arrondissementOutlines = regexp.MustCompile(`(^|/)admin/arrondissements-municipaux[^/]*\.geojson(\.gz)?$`)
)

// BuildOutlines writes the outlines of all communes, départements of the mainland and régions, and of the
// arrondissements of Paris, Lyon and Marseille: one topology in TopoJSON, whose neighbours share their
// borders. It reads the newest national file below from, else the files of the départements, and the
// départements that Build wrote below to. The same files give the same bytes. It needs Node.
func BuildOutlines(ctx context.Context, from, to string) (Written, error) {
	ctx, cancel := context.WithTimeout(ctx, outlinesTimeout)
	defer cancel()
	files, err := outlineFiles(from)
	if err != nil {
		return Written{}, err
	}
	temp, err := os.MkdirTemp("", "arpent-outlines-")
	if err != nil {
		return Written{}, err
	}
	defer os.RemoveAll(temp)
	made := filepath.Join(temp, "outlines.json")
	regions, err := readRegions(to)
	if err != nil {
		return Written{}, err
	}
	if err := generaliseOutlines(ctx, files, regions, made); err != nil {
		return Written{}, fmt.Errorf("generalise the outlines: %w", err)
	}
	full, err := os.ReadFile(made)
	if err != nil {
		return Written{}, err
	}
	quantised, err := quantiseArcs(full)
	if err != nil {
		return Written{}, fmt.Errorf("quantise the outlines: %w", err)
	}
	packed, err := gzipBytes(quantised)
	if err != nil {
		return Written{}, err
	}
	return writeFile(to, outlinesFile, packed)
}

// outlineFiles returns the full files, sorted.
func outlineFiles(from string) ([]string, error) {
	var national, departements, arrondissements []string
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		switch name := filepath.ToSlash(path); {
		case err != nil || entry.IsDir():
			return err
		case nationalOutlines.MatchString(name):
			national = append(national, path)
		case departementOutlines.MatchString(name):
			departements = append(departements, path)
		case arrondissementOutlines.MatchString(name):
			arrondissements = append(arrondissements, path)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("list the full files: %w", err)
	case len(national) > 0:
		return national[len(national)-1:], nil
	case len(departements) == 0 || len(arrondissements) == 0:
		return nil, fmt.Errorf("no outlines below %s: neither admin/communes-5m-YEAR.geojson.gz nor admin/communes-10m and "+
			"admin/arrondissements-municipaux*.geojson.gz; fetch the first by: arpent fetch contours-communes", from)
	}
	return append(departements, arrondissements...), nil
}

// departementsFile is the list of the départements in the box.
const departementsFile = "cog/departements.json.gz"

// readRegions returns the code of the région of each département in the box, as JSON.
func readRegions(box string) (string, error) {
	list, err := readFile(filepath.Join(box, filepath.FromSlash(departementsFile)))
	if err != nil {
		return "", fmt.Errorf("read the régions of the départements: %w", err)
	}
	var departements []struct{ Code, Region string }
	if err := json.Unmarshal(list, &departements); err != nil {
		return "", fmt.Errorf("read %s: %w", departementsFile, err)
	}
	regions := map[string]string{}
	for _, d := range departements {
		regions[d.Code] = d.Region
	}
	text, err := json.Marshal(regions)
	return string(text), err
}

// Expressions of mapshaper. The cities are made of their arrondissements, so that both have the same borders.
// The edition of an outline stands in its file, or is that of the file.
const (
	isOutlined = `!/^(97[578]|98)/.test(code) && !/^(75056|69123|13055)$/.test(code)`
	cityOf     = `commune = code.replace(/^751[0-9]{2}$/, '75056').replace(/^6938[0-9]$/, '69123').replace(/^132[0-9]{2}$/, '13055')`
	isPart     = `commune != code`
	// setDepartement and setRegion follow the codes of communes. The départements overseas are régions.
	setDepartement = `departement = code.slice(0, /^97/.test(code) ? 3 : 2)`
	setRegion      = `region = (%s)[departement]`
	isMainland     = `!/^97/.test(code)`
	setEdition     = `source = this.properties.source || %s`
	// arrondissementEdition is that of the file of the arrondissements.
	arrondissementEdition = "api-geo-2025"
)

// generaliseOutlines has mapshaper make a topology of the files, with positions in degrees.
func generaliseOutlines(ctx context.Context, files []string, regions, to string) error {
	program, err := installMapshaper(ctx)
	if err != nil {
		return err
	}
	edition := arrondissementEdition
	if year := regexp.MustCompile(`communes-5m-(20[0-9]{2})`).FindStringSubmatch(files[0]); year != nil {
		edition = "contours-administratifs-" + year[1]
	}
	args := append([]string{"--max-old-space-size=6000", program, "-i"}, files...)
	args = append(args, "combine-files",
		"-merge-layers", "force", "name=parts",
		"-filter", isOutlined,
		"-each", fmt.Sprintf(setEdition, strconv.Quote(edition)),
		"-filter-fields", "code,source",
		"-sort", "code",
		"-clean", "gap-width="+outlineGap,
		"-simplify", "dp", "interval="+outlineTolerance, "keep-shapes")
	// Rounding makes a few borders cross, which the next step repairs: with a vertex
	// where they cross, which is rounded in turn.
	precision := "precision=" + strconv.FormatFloat(1/outlineGrid, 'f', -1, 64)
	for _, repair := range [][]string{{"fix-geometry"}, {"fix-geometry"}, nil} {
		args = append(append(args, "-snap", precision), repair...)
		args = append(args, "-clean", "gap-width="+outlineGap)
	}
	args = append(args,
		"-each", cityOf,
		"-dissolve", "commune", "copy-fields=source", "+", "name=communes",
		"-rename-fields", "code=commune",
		"-each", setDepartement, "-each", fmt.Sprintf(setRegion, regions),
		"-dissolve", "departement", "+", "name=departements",
		"-rename-fields", "code=departement",
		"-filter", isMainland,
		"-dissolve", "target=communes", "region", "+", "name=regions",
		"-rename-fields", "code=region",
		"-filter-fields", "target=communes", "code,source",
		"-filter", "target=parts", isPart,
		"-filter-fields", "target=parts", "code,source",
		"-rename-layers", "target=parts", "arrondissements",
		"-o", to, "target=communes,arrondissements,departements,regions", "format=topojson", "no-quantization")
	return runProgram(ctx, "", "node", args...)
}

// installMapshaper installs the pinned version where it is missing, and returns the path of its program.
func installMapshaper(ctx context.Context) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the folder of the sources (the box is built from a clone of the repository): %w", err)
	}
	folder := filepath.Join(string(bytes.TrimSpace(root)), "app", "dev", "box", "mapshaper")
	program := filepath.Join(folder, "node_modules", "mapshaper", "bin", "mapshaper")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := runProgram(ctx, folder, "npm", "ci", "--no-audit", "--no-fund"); err != nil {
		return "", fmt.Errorf("install mapshaper: %w", err)
	}
	return program, nil
}

func runProgram(ctx context.Context, folder, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = folder
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", name, err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}

// topology is a file in TopoJSON, https://github.com/topojson/topojson-specification.
type topology struct {
	Type      string                     `json:"type"`
	Transform transform                  `json:"transform"`
	Objects   map[string]json.RawMessage `json:"objects"` // they are written sorted by name
	Arcs      json.RawMessage            `json:"arcs"`
}

type transform struct {
	Scale     [2]float64 `json:"scale"`
	Translate [2]float64 `json:"translate"`
}

// quantiseArcs writes the positions of a topology as whole numbers of grid cells,
// each as the difference from the one before.
func quantiseArcs(full []byte) ([]byte, error) {
	var t topology
	if err := json.Unmarshal(full, &t); err != nil {
		return nil, err
	}
	var arcs [][][2]float64
	if err := json.Unmarshal(t.Arcs, &arcs); err != nil {
		return nil, err
	}
	cells := make([][][2]int64, len(arcs))
	for i, arc := range arcs {
		var last [2]int64
		for n, position := range arc {
			at := [2]int64{int64(math.Round(position[0] * outlineGrid)), int64(math.Round(position[1] * outlineGrid))}
			if n > 0 && at == last {
				continue
			}
			cells[i] = append(cells[i], [2]int64{at[0] - last[0], at[1] - last[1]})
			last = at
		}
	}
	var err error
	if t.Arcs, err = json.Marshal(cells); err != nil {
		return nil, err
	}
	t.Transform.Scale = [2]float64{1 / outlineGrid, 1 / outlineGrid}
	return json.Marshal(t)
}
