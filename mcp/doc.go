// Package mcp is the place of the assistant tools, which are made from the operations table of package api. There is
// none yet: the index of the API says so with a null address.
package mcp
