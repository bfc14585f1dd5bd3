package main

func (m *machine) random() {}
func (m *machine) peak()   {}
