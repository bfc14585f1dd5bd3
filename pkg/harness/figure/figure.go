// Package figure draws the project's figures: one theme, one colour a method, PNG, SVG and PDF.
package figure

// Figure is a grid of panels with one legend.
type Figure struct{}
