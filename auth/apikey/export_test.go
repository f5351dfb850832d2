package apikey

// Overlaps are the times for which a key that is rotated can be kept, the shortest first.
var Overlaps = overlaps
