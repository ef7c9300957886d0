package verify

import "latchkey/internal/spelling"

// maxPathLength is far more than any storage has; checks before that of the token must stay cheap.
const maxPathLength = 8192

// IsNormalPath reports whether all routers read this raw path in the same way. Pass it as received and without the query,
// not as net/http has decoded or cleaned it.
func IsNormalPath(path string) bool {
	return len(path) <= maxPathLength && spelling.IsPath(path)
}
