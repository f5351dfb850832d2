package usage

// Cell is what the export makes of a text.
var Cell = escapeCell
