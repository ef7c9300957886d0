// In a checkout the bundle, where it is one of these very sources: it starts in half the time. Otherwise the sources
// themselves. As a package of npm it has no sources, and a bundle that never changes.
// An import of node:fs would load all of Node's streams.
const { existsSync, readFileSync, statSync } = process.getBuiltinModule('node:fs')
const { dirname, join } = process.getBuiltinModule('node:path')
const { fileURLToPath } = process.getBuiltinModule('node:url')

const command = dirname(dirname(fileURLToPath(import.meta.url)))
const root = dirname(dirname(command))

export function whichMain() {
  if (!existsSync(join(command, 'src'))) return '../dist/command/main.js'
  const bundled = bundledMain()
  return bundled === undefined ? './from-sources.js' : `../${bundled}`
}

function bundledMain() {
  try {
    const { folder, inputs } = JSON.parse(readFileSync(join(command, 'dist/bundle.json'), 'utf8'))
    const main = `dist/${folder}/dist/command/main.js`
    return existsSync(join(command, main)) && inputs.every(isUnchanged) ? main : undefined
  } catch {
    // There is no bundle, or a file that it was made of is gone.
    return undefined
  }
}

function isUnchanged([file, bytes, seconds]) {
  const { size, mtimeMs } = statSync(`${root}/${file}`)
  return size === bytes && Math.floor(mtimeMs / 1000) === seconds
}
