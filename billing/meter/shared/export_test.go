package shared

// AdmitSource is the script that decides.
var AdmitSource = admitSource
