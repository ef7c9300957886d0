// Keeps what Node has compiled in the user's cache folder, so that the next start takes a fraction of the time.
import { mkdirSync, statSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

export function keepCompiled() {
  const { NODE_COMPILE_CACHE, XDG_CACHE_HOME, HOME } = process.env
  const caches = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'))
  if (NODE_COMPILE_CACHE || !caches) return
  const folder = join(caches, 'latchkey')
  try {
    // The folder above must be there: a home that is none is not made.
    for (const path of [caches, folder]) mkdirUnlessThere(path)
    if (isOwn(caches) && isOwn(folder)) enableCompileCache(folder)
  } catch {
    // The start takes longer, and nothing else.
  }
}

// Whoever can change what is kept could run code as this user.
function isOwn(path) {
  const { uid, mode } = statSync(path)
  return uid === process.geteuid() && (mode & 0o022) === 0
}

function mkdirUnlessThere(path) {
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  }
}
