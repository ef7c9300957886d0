// Keeps what Node has compiled in the user's cache folder, so that the next start takes a fraction of the time.
// An import of node:fs would load all of Node's streams.
const { mkdirSync, statSync } = process.getBuiltinModule('node:fs')
const { enableCompileCache } = process.getBuiltinModule('node:module')
const { dirname, isAbsolute, join } = process.getBuiltinModule('node:path')

export function keepCompiled() {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME = '', HOME = '' } = process.env
  // XDG Base Directory Specification: a relative path is ignored.
  const caches = [XDG_CACHE_HOME, join(HOME, '.cache')].find(isAbsolute)
  if (NODE_COMPILE_CACHE || !caches) return
  const folder = join(caches, 'latchkey')
  try {
    if ([caches, folder].every(isOwnOrMade)) enableCompileCache(folder)
  } catch {
    // The start takes longer, and nothing else.
  }
}

// The folder above must be there, and this user's: in the home of another one root makes nothing.
function isOwnOrMade(path) {
  if (!statSync(path, { throwIfNoEntry: false })) {
    if (!isOwn(dirname(path))) return false
    mkdirUnlessThere(path)
  }
  return isOwn(path)
}

// Whoever can change what is kept could run code as this user.
function isOwn(path) {
  const { uid, mode } = statSync(path)
  return uid === process.geteuid() && (mode & 0o022) === 0
}

// Another start may be making it.
function mkdirUnlessThere(path) {
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}
