/** Runs before each test file of the portable platform: WebAssembly has to be there before the first hash. */

import { loadHashes } from '../../src/platform/portable/hashes.ts'
import '../../src/format/hashing.ts'

await loadHashes()
