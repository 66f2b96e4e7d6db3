package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/anishathalye/porcupine"
)

// operation is one line of a history. An operation without a return has an unknown outcome: it may
// take effect at any later time, or never.
type operation struct {
	Client      string `json:"client,omitempty"`
	Bucket      string `json:"bucket"`
	Kind        string `json:"kind"`
	Key         string `json:"key,omitempty"`
	Prefix      string `json:"prefix,omitempty"`
	Call        int64  `json:"call"`
	Return      int64  `json:"return,omitempty"`
	Etag        string `json:"etag,omitempty"`
	IfMatch     string `json:"if_match,omitempty"`
	IfNoneMatch bool   `json:"if_none_match,omitempty"`
	From        int64  `json:"from,omitempty"`
	To          int64  `json:"to,omitempty"`
	IfCursor    *int64 `json:"if_cursor,omitempty"`
}

// What a key holds: an etag, or one of these.
const (
	absent   = ""
	live     = "?" // an object whose etag nobody has seen yet
	anything = "*" // an object whose etag nobody has seen yet, or none
)

// keyModel is a register with conditional writes. An object whose etag is in expiring may be gone
// as soon as somebody looks.
func keyModel(expiring map[string]bool) porcupine.Model {
	holds := func(state, etag string) bool {
		switch {
		case state == etag, state == anything:
			return true
		case etag == absent:
			return expiring[state] || (state == live && len(expiring) > 0)
		default:
			return state == live
		}
	}
	isAllowed := func(state string, one operation) bool {
		if one.IfNoneMatch {
			return holds(state, absent)
		}
		return one.IfMatch == "" || holds(state, one.IfMatch)
	}
	step := func(before, input, _ interface{}) (bool, interface{}) {
		state, one := before.(string), input.(operation)
		isKnown := one.Return != 0
		switch one.Kind {
		case "read":
			return holds(state, one.Etag), one.Etag
		case "put":
			if !isAllowed(state, one) {
				return !isKnown, state
			}
			return true, one.Etag
		case "delete":
			if !isAllowed(state, one) || state == absent {
				return !isKnown, state
			}
			return true, absent
		case "any":
			return true, anything
		}
		panic("unknown kind " + one.Kind)
	}
	return porcupine.Model{
		Init: func() interface{} { return absent },
		Step: step,
	}
}

// bucketModel is the cursor of the last change. Commits with an unknown outcome are left out: they
// could only forbid more, and need not have taken effect.
var bucketModel = porcupine.Model{
	Init: func() interface{} { return int64(0) },
	Step: func(before, input, _ interface{}) (bool, interface{}) {
		last, one := before.(int64), input.(operation)
		isUnchanged := one.IfCursor == nil || last <= *one.IfCursor
		return one.From > last && isUnchanged, one.To
	},
}

// byKey returns the operations of each key, and the etags of objects that expire.
func byKey(operations []operation) (map[string][]porcupine.Operation, map[string]bool) {
	keys := map[string][]operation{}
	expiring := map[string]bool{}
	for _, one := range operations {
		switch {
		case one.Kind == "expiring":
			expiring[one.Etag] = true
		case one.Key != "":
			name := nameOf(one.Bucket, one.Key)
			keys[name] = append(keys[name], one)
		}
	}
	// Requests for a prefix are requests for each of its keys.
	for _, one := range operations {
		if one.Key != "" || (one.Kind != "any" && one.Kind != "delete") {
			continue
		}
		for name := range keys {
			if strings.HasPrefix(name, nameOf(one.Bucket, one.Prefix)) {
				keys[name] = append(keys[name], one)
			}
		}
	}
	histories := map[string][]porcupine.Operation{}
	for name, history := range keys {
		histories[name] = timed(history)
	}
	return histories, expiring
}

func byBucket(operations []operation) map[string][]porcupine.Operation {
	buckets := map[string][]operation{}
	for _, one := range operations {
		if one.Kind == "commit" && one.Return != 0 {
			buckets[one.Bucket] = append(buckets[one.Bucket], one)
		}
	}
	histories := map[string][]porcupine.Operation{}
	for name, history := range buckets {
		histories[name] = timed(history)
	}
	return histories
}

// timed gives unknown outcomes an end: when somebody saw the etag that only they can have written.
func timed(history []operation) []porcupine.Operation {
	seen := map[string]int64{}
	for _, one := range history {
		for _, etag := range []string{one.Etag, one.IfMatch} {
			if first, known := seen[etag]; one.Return != 0 && (!known || one.Return < first) {
				seen[etag] = one.Return
			}
		}
	}
	var timed []porcupine.Operation
	for _, one := range history {
		end := one.Return
		if end == 0 {
			end = math.MaxInt64
			if first, known := seen[one.Etag]; known && one.Kind == "put" && one.Etag != live && first > one.Call {
				end = first
			}
		}
		timed = append(timed, porcupine.Operation{Input: one, Call: one.Call, Return: end})
	}
	return timed
}

func nameOf(bucket, key string) string {
	return fmt.Sprintf("%s/%s", bucket, key)
}
