package geom

import (
	"iter"
	"math"
	"slices"
)

// nodeSize is how many children a node of the tree has.
const nodeSize = 16

// Tree finds the boxes that contain a point. It is packed level by level into one array and never changes: a
// search touches a few adjacent lines of memory and allocates nothing.
type Tree struct {
	boxes  []Box          // level by level, leaves first
	ids    []int32        // of the leaves
	levels [maxLevels]int // index of the first box of each level
	top    int            // the last level
}

// maxLevels is enough for as many boxes as there are ids.
const maxLevels = 8

// NewTree packs boxes; the id of a box is its index. Boxes are
// grouped by vertical strips (sort-tile-recursive).
func NewTree(boxes []Box) *Tree {
	t := &Tree{ids: make([]int32, len(boxes))}
	sorted := make([]int64, len(boxes))
	for i, b := range boxes {
		sorted[i] = middleKey(b.MinX, b.MaxX, int64(i))
	}
	slices.Sort(sorted)
	nodes := (len(boxes) + nodeSize - 1) / nodeSize
	strip := max(1, int(math.Ceil(math.Sqrt(float64(nodes))))) * nodeSize
	for some := range slices.Chunk(sorted, strip) {
		for i, m := range some {
			b := boxes[m&maxID]
			some[i] = middleKey(b.MinY, b.MaxY, m&maxID)
		}
		slices.Sort(some)
	}
	t.boxes = make([]Box, 0, len(boxes)+len(boxes)/(nodeSize-1)+8)
	for i, m := range sorted {
		t.ids[i] = int32(m & maxID)
		t.boxes = append(t.boxes, boxes[m&maxID])
	}
	t.packLevels()
	return t
}

// maxID is the greatest id: the others of the 64 bits are those of a middle.
const maxID = 1<<30 - 1

// middleKey is twice the longitude or the latitude of the middle of a box, and below it its id: one
// number is sorted in half the time of the two.
func middleKey(least, greatest int32, id int64) int64 { return (int64(least)+int64(greatest))<<30 | id }

// Packed is the tree as two lists, from which TreeOf makes it again.
func (t *Tree) Packed() (boxes []Box, ids []int32) { return t.boxes, t.ids }

// TreeOf is the tree that these lists were made from. It reads them in place.
func TreeOf(boxes []Box, ids []int32) Tree {
	t := Tree{boxes: boxes, ids: ids}
	for from, n := 0, len(ids); n > nodeSize; t.levels[t.top] = from {
		from, n = from+n, (n+nodeSize-1)/nodeSize
		t.top++
	}
	return t
}

// packLevels adds the upper levels, until one has few enough boxes to be looked through.
func (t *Tree) packLevels() {
	for from := 0; len(t.boxes)-from > nodeSize; {
		end := len(t.boxes)
		t.top++
		t.levels[t.top] = end
		for children := range slices.Chunk(t.boxes[from:end:end], nodeSize) {
			around := emptyBox()
			for _, b := range children {
				around.extendBy(b)
			}
			t.boxes = append(t.boxes, around)
		}
		from = end
	}
}

// At gives the ids of the boxes that contain p, in no particular order.
func (t *Tree) At(p Point) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		t.visitPoint(t.top, t.levels[t.top], len(t.boxes), p, yield)
	}
}

// In gives the ids of the boxes that have a point in common with b, in no particular order.
func (t *Tree) In(b Box) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		t.visitBox(t.top, t.levels[t.top], len(t.boxes), b, yield)
	}
}

func (t *Tree) visitBox(level, first, end int, b Box, yield func(int32) bool) bool {
	for i := first; i < end; i++ {
		switch {
		case !t.boxes[i].Touches(b):
		case level == 0:
			if !yield(t.ids[i]) {
				return false
			}
		default:
			below := t.levels[level-1]
			child := below + (i-t.levels[level])*nodeSize
			if !t.visitBox(level-1, child, min(child+nodeSize, t.levels[level]), b, yield) {
				return false
			}
		}
	}
	return true
}

// Leaves gives the boxes that the tree was made of, with their ids.
func (t *Tree) Leaves() iter.Seq2[int32, Box] {
	return func(yield func(int32, Box) bool) {
		for i, id := range t.ids {
			if !yield(id, t.boxes[i]) {
				return
			}
		}
	}
}

// visitPoint looks through the boxes from first up to end, all of one level.
func (t *Tree) visitPoint(level, first, end int, p Point, yield func(int32) bool) bool {
	for i := first; i < end; i++ {
		if !t.boxes[i].Contains(p) {
			continue
		}
		if level == 0 {
			if !yield(t.ids[i]) {
				return false
			}
			continue
		}
		below := t.levels[level-1]
		child := below + (i-t.levels[level])*nodeSize
		if !t.visitPoint(level-1, child, min(child+nodeSize, t.levels[level]), p, yield) {
			return false
		}
	}
	return true
}
