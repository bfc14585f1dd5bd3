// Package table renders tables as Markdown, LaTeX, CSV and HTML.
package table

// Table is a table of cells.
type Table struct{}
