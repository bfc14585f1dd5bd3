package target

// scratch lends buffers to concurrent callers of a target and keeps them for the next call, so that a step allocates
// nothing after the first. (A sync.Pool gives its contents up at every garbage collection.)
type scratch[T any] struct {
	free  chan *T
	fresh func() *T
}

// newScratch returns one that keeps up to 64 buffers; a caller beyond that many at a time has its buffer dropped.
func newScratch[T any](fresh func() *T) scratch[T] {
	return scratch[T]{free: make(chan *T, 64), fresh: fresh}
}

func (s scratch[T]) get() *T {
	select {
	case v := <-s.free:
		return v
	default:
		return s.fresh()
	}
}

func (s scratch[T]) put(v *T) {
	select {
	case s.free <- v:
	default:
	}
}
