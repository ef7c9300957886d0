package xet

import (
	"encoding/binary"
	"math/bits"
)

// words is a key, or the state between two blocks: 32 bytes.
type words [8]uint32

const (
	blockLength = 64
	pieceLength = 1024
)

// Flags of a block.
const (
	pieceStart = 1 << iota
	pieceEnd
	parent
	root
	keyed
)

var start = words{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}

func wordsOf(bytes [32]byte) (made words) {
	for index := range made {
		made[index] = binary.LittleEndian.Uint32(bytes[4*index:])
	}
	return made
}

// blake3 is the keyed hash of BLAKE3.
func blake3(key *words, input []byte) (sum [32]byte) {
	state := subtree(key, input, 0, root)
	for index, word := range state {
		binary.LittleEndian.PutUint32(sum[4*index:], word)
	}
	return sum
}

// subtree hashes pieces of 1024 bytes, the first of which has this number.
func subtree(key *words, input []byte, number uint64, isRoot uint32) words {
	if len(input) <= pieceLength {
		return piece(key, input, number, isRoot)
	}
	// The left side has as many pieces as a power of two, and the right side has at least one byte.
	left := pieceLength << (bits.Len(uint(len(input)-1)/pieceLength) - 1)
	one := subtree(key, input[:left], number, 0)
	other := subtree(key, input[left:], number+uint64(left/pieceLength), 0)
	var block [16]uint32
	copy(block[:8], one[:])
	copy(block[8:], other[:])
	return compress(key, &block, 0, blockLength, keyed|parent|isRoot)
}

func piece(key *words, input []byte, number uint64, isRoot uint32) words {
	state, flags := *key, uint32(keyed|pieceStart)
	var block [16]uint32
	for len(input) > blockLength {
		load(&block, input)
		state = compress(&state, &block, number, blockLength, flags)
		input, flags = input[blockLength:], keyed
	}
	var last [blockLength]byte
	copy(last[:], input)
	load(&block, last[:])
	return compress(&state, &block, number, uint32(len(input)), flags|pieceEnd|isRoot)
}

func load(block *[16]uint32, bytes []byte) {
	bytes = bytes[:blockLength]
	for index := range block {
		block[index] = binary.LittleEndian.Uint32(bytes[4*index:])
	}
}

// compress mixes a block into a state, in seven rounds. The compiler keeps variables in registers, and an array not.
func compress(state *words, m *[16]uint32, number uint64, length, flags uint32) words {
	a0, a1, a2, a3 := state[0], state[1], state[2], state[3]
	b0, b1, b2, b3 := state[4], state[5], state[6], state[7]
	c0, c1, c2, c3 := start[0], start[1], start[2], start[3]
	d0, d1, d2, d3 := uint32(number), uint32(number>>32), length, flags

	a0, b0, c0, d0 = mix(a0, b0, c0, d0, m[0], m[1])
	a1, b1, c1, d1 = mix(a1, b1, c1, d1, m[2], m[3])
	a2, b2, c2, d2 = mix(a2, b2, c2, d2, m[4], m[5])
	a3, b3, c3, d3 = mix(a3, b3, c3, d3, m[6], m[7])
	a0, b1, c2, d3 = mix(a0, b1, c2, d3, m[8], m[9])
	a1, b2, c3, d0 = mix(a1, b2, c3, d0, m[10], m[11])
	a2, b3, c0, d1 = mix(a2, b3, c0, d1, m[12], m[13])
	a3, b0, c1, d2 = mix(a3, b0, c1, d2, m[14], m[15])

	a0, b0, c0, d0 = mix(a0, b0, c0, d0, m[2], m[6])
	a1, b1, c1, d1 = mix(a1, b1, c1, d1, m[3], m[10])
	a2, b2, c2, d2 = mix(a2, b2, c2, d2, m[7], m[0])
	a3, b3, c3, d3 = mix(a3, b3, c3, d3, m[4], m[13])
	a0, b1, c2, d3 = mix(a0, b1, c2, d3, m[1], m[11])
	a1, b2, c3, d0 = mix(a1, b2, c3, d0, m[12], m[5])
	a2, b3, c0, d1 = mix(a2, b3, c0, d1, m[9], m[14])
	a3, b0, c1, d2 = mix(a3, b0, c1, d2, m[15], m[8])

	a0, b0, c0, d0 = mix(a0, b0, c0, d0, m[3], m[4])
	a1, b1, c1, d1 = mix(a1, b1, c1, d1, m[10], m[12])
	a2, b2, c2, d2 = mix(a2, b2, c2, d2, m[13], m[2])
	a3, b3, c3, d3 = mix(a3, b3, c3, d3, m[7], m[14])
	a0, b1, c2, d3 = mix(a0, b1, c2, d3, m[6], m[5])
	a1, b2, c3, d0 = mix(a1, b2, c3, d0, m[9], m[0])
	a2, b3, c0, d1 = mix(a2, b3, c0, d1, m[11], m[15])
	a3, b0, c1, d2 = mix(a3, b0, c1, d2, m[8], m[1])

	a0, b0, c0, d0 = mix(a0, b0, c0, d0, m[10], m[7])
	a1, b1, c1, d1 = mix(a1, b1, c1, d1, m[12], m[9])
	a2, b2, c2, d2 = mix(a2, b2, c2, d2, m[14], m[3])
	a3, b3, c3, d3 = mix(a3, b3, c3, d3, m[13], m[15])
	a0, b1, c2, d3 = mix(a0, b1, c2, d3, m[4], m[0])
	a1, b2, c3, d0 = mix(a1, b2, c3, d0, m[11], m[2])
	a2, b3, c0, d1 = mix(a2, b3, c0, d1, m[5], m[8])
	a3, b0, c1, d2 = mix(a3, b0, c1, d2, m[1], m[6])

	a0, b0, c0, d0 = mix(a0, b0, c0, d0, m[12], m[13])
	a1, b1, c1, d1 = mix(a1, b1, c1, d1, m[9], m[11])
	a2, b2, c2, d2 = mix(a2, b2, c2, d2, m[15], m[10])
	a3, b3, c3, d3 = mix(a3, b3, c3, d3, m[14], m[8])
	a0, b1, c2, d3 = mix(a0, b1, c2, d3, m[7], m[2])
	a1, b2, c3, d0 = mix(a1, b2, c3, d0, m[5], m[3])
	a2, b3, c0, d1 = mix(a2, b3, c0, d1, m[0], m[1])
	a3, b0, c1, d2 = mix(a3, b0, c1, d2, m[6], m[4])

	a0, b0, c0, d0 = mix(a0, b0, c0, d0, m[9], m[14])
	a1, b1, c1, d1 = mix(a1, b1, c1, d1, m[11], m[5])
	a2, b2, c2, d2 = mix(a2, b2, c2, d2, m[8], m[12])
	a3, b3, c3, d3 = mix(a3, b3, c3, d3, m[15], m[1])
	a0, b1, c2, d3 = mix(a0, b1, c2, d3, m[13], m[3])
	a1, b2, c3, d0 = mix(a1, b2, c3, d0, m[0], m[10])
	a2, b3, c0, d1 = mix(a2, b3, c0, d1, m[2], m[6])
	a3, b0, c1, d2 = mix(a3, b0, c1, d2, m[4], m[7])

	a0, b0, c0, d0 = mix(a0, b0, c0, d0, m[11], m[15])
	a1, b1, c1, d1 = mix(a1, b1, c1, d1, m[5], m[0])
	a2, b2, c2, d2 = mix(a2, b2, c2, d2, m[1], m[9])
	a3, b3, c3, d3 = mix(a3, b3, c3, d3, m[8], m[6])
	a0, b1, c2, d3 = mix(a0, b1, c2, d3, m[14], m[10])
	a1, b2, c3, d0 = mix(a1, b2, c3, d0, m[2], m[12])
	a2, b3, c0, d1 = mix(a2, b3, c0, d1, m[3], m[4])
	a3, b0, c1, d2 = mix(a3, b0, c1, d2, m[7], m[13])

	return words{a0 ^ c0, a1 ^ c1, a2 ^ c2, a3 ^ c3, b0 ^ d0, b1 ^ d1, b2 ^ d2, b3 ^ d3}
}

func mix(a, b, c, d, x, y uint32) (uint32, uint32, uint32, uint32) {
	a += b + x
	d = bits.RotateLeft32(d^a, -16)
	c += d
	b = bits.RotateLeft32(b^c, -12)
	a += b + y
	d = bits.RotateLeft32(d^a, -8)
	c += d
	b = bits.RotateLeft32(b^c, -7)
	return a, b, c, d
}
