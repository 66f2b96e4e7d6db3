// Checks histories of the service with porcupine (https://github.com/anishathalye/porcupine): single
// keys are linearizable, and so is the compare-and-set of a bucket by if_cursor.
//
//	linearizability FILE...
//
// A file has one operation a line, as recorder.ts writes them. The last line says what was checked.
// Exits with 1 when a history is not linearizable, and with 2 when one could not be decided.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// timeout for one key or bucket: far above what any of them needs.
const timeout = 60 * time.Second

type totals struct {
	histories, operations, unknown, parts, refused, undecided int
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: linearizability FILE...")
		os.Exit(2)
	}
	var sum totals
	for _, file := range os.Args[1:] {
		operations, err := read(file)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
			os.Exit(2)
		}
		sum.add(file, operations)
	}
	fmt.Printf("%d operations of %d histories, %d of them with an unknown outcome; %d keys and buckets: %d not linearizable, %d undecided\n",
		sum.operations, sum.histories, sum.unknown, sum.parts, sum.refused, sum.undecided)
	if sum.refused > 0 {
		os.Exit(1)
	}
	if sum.undecided > 0 || sum.operations == 0 {
		os.Exit(2)
	}
}

func (sum *totals) add(file string, operations []operation) {
	sum.histories++
	sum.operations += len(operations)
	for _, one := range operations {
		if one.Return == 0 {
			sum.unknown++
		}
	}
	keys, expiring := byKey(operations)
	for name, history := range keys {
		sum.check(file, name, keyModel(expiring), history)
	}
	for name, history := range byBucket(operations) {
		sum.check(file, name+" by if_cursor", bucketModel, history)
	}
}

func (sum *totals) check(file, name string, model porcupine.Model, history []porcupine.Operation) {
	sum.parts++
	switch porcupine.CheckOperationsTimeout(model, history, timeout) {
	case porcupine.Illegal:
		sum.refused++
		fmt.Printf("%s: %s is not linearizable:\n", file, name)
		sort.Slice(history, func(a, b int) bool { return history[a].Call < history[b].Call })
		for _, one := range history {
			fmt.Printf("  %s\n", describe(one))
		}
	case porcupine.Unknown:
		sum.undecided++
		fmt.Printf("%s: %s was not decided within %s\n", file, name, timeout)
	}
}

func describe(one porcupine.Operation) string {
	text, _ := json.Marshal(one.Input)
	return string(text)
}

func read(file string) ([]operation, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	var operations []operation
	scanner := bufio.NewScanner(opened)
	scanner.Buffer(nil, 1<<20)
	for line := 1; scanner.Scan(); line++ {
		decoder := json.NewDecoder(strings.NewReader(scanner.Text()))
		decoder.DisallowUnknownFields()
		var one operation
		if err := decoder.Decode(&one); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		operations = append(operations, one)
	}
	return operations, scanner.Err()
}
