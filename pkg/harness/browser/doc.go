// Package browser has the tests that look at pages in a real browser. It is a module of its own: what drives the
// browser is no dependency of those who use the harness.
package browser
