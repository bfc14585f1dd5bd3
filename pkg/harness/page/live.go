package page

import (
	"bytes"
	_ "embed"
	"strconv"
)

//go:embed live.js
var liveScript string

// live returns a page that loads itself again when its server says at the address events that there is another version.
func live(page []byte, version int) []byte {
	page = bytes.Replace(page, []byte("default-src 'none';"), []byte("default-src 'none'; connect-src 'self';"), 1)
	script := `<script data-version="` + strconv.Itoa(version) + "\">\n" + liveScript + "</script>\n</body>"
	return bytes.Replace(page, []byte("</body>"), []byte(script), 1)
}
