module convert

go 1.26.0
