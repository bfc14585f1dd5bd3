package program

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/semi-implicit/sifg/pkg/sifg/npy"
)

// TestMain makes the test binary a program too: BINARY behave NAME. What is not such a program ends with the process
// that started it, and the guards of its programs with it.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "behave" {
		if how, ok := strings.CutPrefix(os.Args[2], "sampler-"); ok {
			sample(how)
		} else {
			behave(os.Args[2])
		}
		return
	}
	os.Exit(m.Run())
}

const dim = 2

// hello is the first line of a good target.
const hello = `{"sifg": 1, "target": {"dim": 2, "names": ["a", "b"]}, "version": "test 1"}`

// behave is a program on N(0, I) in two dimensions that does one thing wrong.
func behave(how string) {
	in, first := bufio.NewReader(os.Stdin), hello
	switch how {
	case "dies-at-once":
		fmt.Fprintln(os.Stderr, "Traceback (most recent call last):\nModuleNotFoundError: No module named 'jax'")
		os.Exit(3)
	case "child-first": // it starts a child and says nothing
		exec.Command("sh", "-c", "while :; do sleep 1; done", os.Args[0]+" behave child").Run()
	case "stdin-closed": // as conda run gives it
		in = bufio.NewReader(strings.NewReader(""))
	case "child-holds-on": // a child with the same stdout
		child := exec.Command("sleep", "1000")
		child.Stdout = os.Stdout
		child.Start()
	case "depends":
		first = strings.TrimSuffix(hello, "}") + `, "depends": {"data.csv": "1"}}`
	case "ignores-end", "hangs":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	}
	fmt.Println(first)
	for {
		if _, err := in.ReadString('\n'); err != nil {
			if how == "ignores-end" {
				time.Sleep(time.Hour)
			}
			return
		}
		rows, _ := shape(in)
		x := make([]float64, rows*dim)
		binary.Read(in, binary.LittleEndian, x)
		misanswer(how, rows, x)
	}
}

// shape reads the head of an array.
func shape(in *bufio.Reader) (rows, cols int) {
	head := make([]byte, 128)
	io.ReadFull(in, head)
	fmt.Sscanf(string(head[bytes.Index(head, []byte("'shape': (")):]), "'shape': (%d, %d)", &rows, &cols)
	return rows, cols
}

// misanswer answers a question in a wrong way.
func misanswer(how string, rows int, x []float64) {
	out := make([]float64, 0, rows*(1+dim))
	for i := range rows {
		a, b := x[i*dim], x[i*dim+1]
		out = append(out, -a*a/2-b*b/2, -a, -b)
	}
	line, array := `{"answer": "score", "array": true}`, npy.Encode([]int{rows, 1 + dim}, out)
	switch how {
	case "dies-at-row-50":
		fmt.Println(line)
		os.Stdout.Write(array[:128+8*3*50])
		fmt.Fprintln(os.Stderr, "MemoryError: row 50")
		os.Exit(1)
	case "killed":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		time.Sleep(time.Hour)
	case "hangs":
		time.Sleep(time.Hour)
	case "ends-child":
		exec.Command("sh", "-c", "sleep 1000 & kill -TERM $!; wait").Run()
	case "child-spins": // its name is that of its program, for left
		exec.Command("sh", "-c", "while :; do :; done", os.Args[0]+" behave child").Run()
	case "closes-stdout":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "prints":
		fmt.Println("iteration 7, loss 0.3")
	case "no-array":
		line, array = `{"answer": "score"}`, nil
	case "writes-10-gigabytes":
		array = bytes.Repeat([]byte("x"), 1<<20)
		for range 10 << 10 {
			os.Stdout.Write(array)
		}
	case "shouts": // 64 MB on stderr in all, which nobody reads to the end
		os.Stderr.Write(bytes.Repeat([]byte("x"), 2<<20))
	}
	fmt.Println(line)
	os.Stdout.Write(array)
}

// A sampler's trial here: rows in its sample, iterations, and the one of the first checkpoint.
const particles, iterations, halfway = 4, 60, 30

// sample is a sampler that asks about its start, n gradients an iteration, and does one thing wrong.
func sample(how string) {
	in := bufio.NewReader(os.Stdin)
	read := func() bool { // a message; whether it has an array, which is skipped
		line, err := in.ReadString('\n')
		if err != nil {
			os.Exit(0)
		}
		if !strings.Contains(line, `"array":true`) {
			return false
		}
		rows, cols := shape(in)
		in.Discard(8 * rows * cols)
		return true
	}
	write := func(line string, rows, cols int, value float64) {
		data := make([]float64, rows*cols)
		for i := range data {
			data[i] = value
		}
		fmt.Println(line)
		os.Stdout.Write(npy.Encode([]int{rows, cols}, data))
	}
	ask := func(rows, cols int) bool {
		write(`{"ask": "score", "array": true}`, rows, cols, 1)
		return read()
	}
	tell := func(iteration, rows int, value float64) {
		write(fmt.Sprintf(`{"tell": "sample", "iteration": %d, "array": true}`, iteration), rows, dim, value)
	}
	fmt.Println(`{"sifg": 1, "sampler": {"title": "Wrong"}}`)
	for read() {
		for k := 1; k <= iterations; k++ {
			switch {
			case how == "dies" && k == 7:
				fmt.Fprintln(os.Stderr, "ZeroDivisionError: division by zero")
				os.Exit(1)
			case how == "hangs" && k == 7:
				time.Sleep(time.Hour)
			case how == "asks-beyond" && k == halfway:
				ask(particles+1, dim)
			case how == "asks-nothing":
				ask(0, dim)
			case how == "ends-early" && k > 5:
			default:
				ask(particles, dim)
			}
			switch {
			case how == "wrong-sample" && k == halfway:
				tell(k, particles-1, 1)
			case how == "out-of-order" && k == halfway:
				tell(iterations, particles, 1)
			case how == "no-sample" && k == iterations:
				os.Exit(0)
			case how == "past-the-budget" && k == iterations:
				for {
					ask(particles, dim)
				}
			case k == halfway || k == iterations:
				tell(k, particles, 1)
			}
		}
	}
}
