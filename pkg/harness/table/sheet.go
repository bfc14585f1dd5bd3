package table

// Sheet is a table whose rows are about one thing each: a method, a problem, a σ. It is filled column by column.
type Sheet[R any] struct {
	Table
	things []R
}

// Of returns a table with a row for each of things, and no columns yet.
func Of[R any](things []R) *Sheet[R] {
	s := &Sheet[R]{things: things}
	for range things {
		s.Rows = append(s.Rows, nil)
	}
	return s
}

// Words adds a column of words, aligned left.
func (s *Sheet[R]) Words(header string, of func(thing R) string) {
	s.add(Column{header, Left}, func(thing R) Cell { return Text(of(thing)) })
}

// Column adds a column of cells, aligned right. It calls of for each row in order.
func (s *Sheet[R]) Column(header string, of func(thing R) Cell) {
	s.add(Column{header, Right}, of)
}

func (s *Sheet[R]) add(c Column, of func(thing R) Cell) {
	s.Columns = append(s.Columns, c)
	for i, thing := range s.things {
		s.Rows[i] = append(s.Rows[i], of(thing))
	}
}
