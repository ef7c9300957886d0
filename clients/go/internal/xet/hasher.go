// Package xet computes the hash that a storage gives a file: it cuts the file into chunks where a rolling hash says so, and hashes
// the tree over the hashes of its chunks. The public Xet format describes it.
package xet

import (
	"encoding/binary"
	"fmt"
)

const (
	minChunk = 8 * 1024
	maxChunk = 128 * 1024
	// The rolling hash has 64 bits and moves by one for each byte: older bytes have left it.
	window = 64
	// A chunk ends where the upper 16 bits of the rolling hash are zero.
	limit = 1 << 48
)

var (
	chunkKey = wordsOf([32]byte{
		102, 151, 245, 119, 91, 149, 80, 222, 49, 53, 203, 172, 165, 151, 24, 28,
		157, 228, 33, 16, 155, 235, 43, 88, 180, 208, 176, 75, 147, 173, 242, 41,
	})
	nodeKey = wordsOf([32]byte{
		1, 126, 197, 199, 165, 71, 41, 150, 253, 148, 102, 102, 180, 138, 2, 230,
		93, 221, 83, 111, 55, 199, 109, 210, 248, 99, 82, 230, 74, 83, 113, 63,
	})
	fileKey = wordsOf([32]byte{})
)

// Hasher hashes a file. Its zero value has no bytes yet.
type Hasher struct {
	chunk   []byte
	rolling uint64
	levels  []level
}

// Write adds bytes. It never fails.
func (hasher *Hasher) Write(bytes []byte) (int, error) {
	if hasher.chunk == nil {
		hasher.chunk = make([]byte, 0, maxChunk)
	}
	all := len(bytes)
	for len(bytes) > 0 {
		part := bytes[:min(len(bytes), maxChunk-len(hasher.chunk))]
		count, isEnd := hasher.scan(part)
		hasher.chunk = append(hasher.chunk, part[:count]...)
		bytes = bytes[count:]
		if isEnd || len(hasher.chunk) == maxChunk {
			hasher.endChunk()
		}
	}
	return all, nil
}

// scan counts the bytes up to the end of the chunk, and says whether it ends there.
func (hasher *Hasher) scan(part []byte) (count int, isEnd bool) {
	rolling, at := hasher.rolling, len(hasher.chunk)
	// What has left the window of the first byte that may end a chunk is not looked at.
	from := min(max(0, minChunk-window-at), len(part))
	silent := min(max(0, minChunk-1-at), len(part))
	for _, byte := range part[from:max(from, silent)] {
		rolling = rolling<<1 + gear[byte]
	}
	for index, byte := range part[silent:] {
		rolling = rolling<<1 + gear[byte]
		if rolling < limit {
			return silent + index + 1, true
		}
	}
	hasher.rolling = rolling
	return len(part), false
}

func (hasher *Hasher) endChunk() {
	hasher.levels = add(hasher.levels, 0, child{blake3(&chunkKey, hasher.chunk), uint64(len(hasher.chunk))})
	hasher.chunk, hasher.rolling = hasher.chunk[:0], 0
}

// Sum returns the hash of the file as the protocol writes it. The hasher takes no bytes after it.
func (hasher *Hasher) Sum() string {
	if len(hasher.chunk) > 0 {
		hasher.endChunk()
	}
	top := rootOf(hasher.levels)
	if top == ([32]byte{}) {
		return text(top)
	}
	return text(blake3(&fileKey, top[:]))
}

// text writes four words of 64 bits.
func text(hash [32]byte) string {
	var digits [4]uint64
	for index := range digits {
		digits[index] = binary.LittleEndian.Uint64(hash[8*index:])
	}
	return fmt.Sprintf("%016x%016x%016x%016x", digits[0], digits[1], digits[2], digits[3])
}

// A node has at least two children where there are two, and three before its last one may end it.
const (
	minChildren = 3
	maxChildren = 9
)

type child struct {
	hash [32]byte
	size uint64
}

// level has the children of the node that is not complete yet.
type level struct {
	children []child
	// count is how many nodes the level has had, and first is the first of them.
	count int
	first [32]byte
}

func (level *level) add(child child) {
	if level.count == 0 {
		level.first = child.hash
	}
	level.children = append(level.children, child)
	level.count++
}

func (level *level) node() child {
	lines, size := []byte{}, uint64(0)
	for _, child := range level.children {
		lines = fmt.Appendf(lines, "%s : %d\n", text(child.hash), child.size)
		size += child.size
	}
	return child{blake3(&nodeKey, lines), size}
}

// add puts a child into the tree: a few nodes of each level are in memory.
func add(levels []level, height int, child child) []level {
	if height == len(levels) {
		levels = append(levels, level{})
	}
	level := &levels[height]
	level.add(child)
	// One hash in four ends a node, by its last word.
	isEnd := child.hash[24]&3 == 0
	if len(level.children) < minChildren || !isEnd && len(level.children) < maxChildren {
		return levels
	}
	node := level.node()
	level.children = level.children[:0]
	return add(levels, height+1, node)
}

// rootOf makes nodes of what remains at the end of each level.
func rootOf(levels []level) [32]byte {
	var rest *child
	for index := range levels {
		level := &levels[index]
		if rest != nil {
			level.add(*rest)
		}
		if level.count == 1 {
			return level.first
		}
		rest = nil
		if len(level.children) > 0 {
			node := level.node()
			rest = &node
		}
	}
	if rest == nil {
		return [32]byte{}
	}
	return rest.hash
}
