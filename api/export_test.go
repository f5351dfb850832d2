package api

// Explain is explain.
var Explain = explain
