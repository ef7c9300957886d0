package verify

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// digest is of a whole Authorization header. Neither header nor token is kept: whoever reads this memory finds nothing
// to use.
type digest = [sha256.Size]byte

// recent remembers a bounded number of values, and forgets those first that were not asked for longest.
type recent[Value any] struct {
	most  int
	mutex sync.Mutex
	order list.List
	byKey map[digest]*list.Element
}

type remembered[Value any] struct {
	key   digest
	value Value
}

func newRecent[Value any](most int) *recent[Value] {
	return &recent[Value]{most: most, byKey: map[digest]*list.Element{}}
}

func (cache *recent[Value]) get(key digest) (value Value, found bool) {
	cache.mutex.Lock()
	defer cache.mutex.Unlock()
	element, found := cache.byKey[key]
	if !found {
		return value, false
	}
	cache.order.MoveToFront(element)
	return element.Value.(*remembered[Value]).value, true
}

func (cache *recent[Value]) set(key digest, value Value) {
	cache.mutex.Lock()
	defer cache.mutex.Unlock()
	if element, found := cache.byKey[key]; found {
		element.Value.(*remembered[Value]).value = value
		cache.order.MoveToFront(element)
		return
	}
	cache.byKey[key] = cache.order.PushFront(&remembered[Value]{key, value})
	if cache.order.Len() > cache.most {
		oldest := cache.order.Remove(cache.order.Back()).(*remembered[Value])
		delete(cache.byKey, oldest.key)
	}
}
