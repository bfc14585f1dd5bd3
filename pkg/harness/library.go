package harness

func libraryFingerprint() string { return "tmp" }
func libraryKernel() string      { return "tmp" }
