package source

// MapLayer is a layer of areas that maps draw over the plan, in vector tiles.
type MapLayer struct {
	Name     string   // in the addresses of its tiles
	Layers   []string // of the report, which hold its areas
	Producer string
	MinZoom  int // of its tiles: before it a tile has too many areas

	// Select reads one row: the tile, which is empty where nothing is drawn, and the number of parts of shapes
	// that it was made of. Its parameters are the tile (@z, @x, @y) and the most parts that are read (@limit).
	Select string
}
