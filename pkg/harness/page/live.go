package page

import (
	"bytes"
	_ "embed"
	"strconv"
)

//go:embed live.js
var live string

// Live returns a page made by Write, or one that says that there is nothing yet if page is nil, that loads itself again
// when its server says at the address events that there is another version.
func Live(page []byte, version int) []byte {
	if page == nil {
		var b bytes.Buffer
		if err := Render(&b, Page{Title: "Nothing yet", Intro: "No trial has ended. This page shows the report as soon as one has."}); err != nil {
			panic("report: " + err.Error()) // a page without data
		}
		page = b.Bytes()
	}
	page = bytes.Replace(page, []byte("default-src 'none';"), []byte("default-src 'none'; connect-src 'self';"), 1)
	script := `<script data-version="` + strconv.Itoa(version) + "\">\n" + live + "</script>\n</body>"
	i := bytes.LastIndex(page, []byte("</body>"))
	return append(append(bytes.Clone(page[:i]), script...), page[i+len("</body>"):]...)
}
