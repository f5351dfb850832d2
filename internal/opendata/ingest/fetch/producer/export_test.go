package producer

// DateIn is the date in the name of a file.
var DateIn = dateIn
