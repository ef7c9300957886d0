package xet

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// splitMix is data that looks random, and is the same everywhere.
func splitMix(length int) []byte {
	data, state := make([]byte, 0, length+8), uint64(0)
	for len(data) < length {
		state += 0x9e3779b97f4a7c15
		word := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		word = (word ^ word>>27) * 0x94d049bb133111eb
		data = binary.LittleEndian.AppendUint64(data, word^word>>31)
	}
	return data[:length]
}

var hashes = []struct {
	name, hash string
	data       []byte
}{
	{"no bytes", "0000000000000000000000000000000000000000000000000000000000000000", nil},
	{"one byte", "65013edd008b17b61b88618fc55cd84af69611d1190d67c9ca25276eaa22bb53", splitMix(1)},
	{"a piece of BLAKE3", "aec57b95dfd12a030a9275128eaef227ba39416335e505b1f03fa8b5968ec384", splitMix(1024)},
	{"two pieces", "17ad20cef224d7876279d4be302b2d8d53f11e9dc13efcdd8b20b5fd9cffb545", splitMix(1025)},
	{"less than the shortest chunk", "a2f0205f90bccc38d465dac03f8f4030d22374a1d4049d4cb54a7f5425ba9eee", splitMix(8191)},
	{"the shortest chunk", "fd9a9a47884c4d95ca19ee0aef1242c5f5b1b52e7b05020bc773dffc6cd83352", splitMix(8192)},
	{"one chunk", "2aed6d2241102fae5d3dbbf72699449aaeff5bb5d685e065817b779d54335380", splitMix(65_536)},
	{"two chunks", "92ec576bf5c7d27fd87844eff81dfd5352a9d65cd3f90aa74dbcd38ebaaabc77", splitMix(131_072)},
	{"nineteen chunks", "3d17b2d7d64a0e011b6717a52d9a16bd2c3f05b743fa8adf52a7d75dafab6d89", splitMix(1_000_000)},
	{"a tree of three levels", "ee93e1f9acc6535d2cf92b8fef82c4a488d7398c5c1bf0de6666e78020e2f15a", splitMix(12_000_000)},
	{"the longest chunks", "53f845640fcd1c7440befff65bd93434c83a30c6559a705597d61f2ef64e2f88", bytes.Repeat([]byte{59}, 1_000_000)},
}

// The hashes are those of packages/xet.
func TestAFileHasTheHashThatOtherClientsGiveIt(t *testing.T) {
	for _, each := range hashes {
		// In parts of these lengths, over and over.
		for _, lengths := range [][]int{{1 << 30}, {1, 63, 8127, 1, 1, 70_000}, {8191, 131_073}} {
			hasher, rest := Hasher{}, each.data
			for index := 0; len(rest) > 0; index++ {
				count := min(lengths[index%len(lengths)], len(rest))
				_, _ = hasher.Write(rest[:count])
				rest = rest[count:]
			}
			if hash := hasher.Sum(); hash != each.hash {
				t.Errorf("%s: %s, expected %s", each.name, hash, each.hash)
			}
		}
	}
}

func BenchmarkHasher(b *testing.B) {
	data := splitMix(8 << 20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		hasher := Hasher{}
		_, _ = hasher.Write(data)
		hasher.Sum()
	}
}
