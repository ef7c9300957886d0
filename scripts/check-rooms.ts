/** Proves that imports go one way: between packages as declared here, between a package's folders without a cycle. */

import { globSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** What each package may import of the others; everything else is a wall. */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  token: ['protocol'],
  hub: ['protocol', 'token'],
  cli: ['protocol', 'hub'],
}

/** Rooms in which decisions are made: nothing of the outside world may reach them. */
const pure = ['protocol/src/', 'hub/src/permission/']
const outside = /^node:(?:fs|net|http|https|child_process|sqlite|timers|dns)/

interface Import {
  readonly file: string
  readonly target: string
}

const imports = globSync('packages/*/src/**/*.ts', { cwd: root }).flatMap(importsOf)
const complaints = [...imports.flatMap(wallBroken), ...cycles()]
for (const complaint of complaints) console.error(complaint)
if (complaints.length > 0) process.exit(1)
console.log(`${imports.length} imports look one way`)

function importsOf(file: string): Import[] {
  const text = readFileSync(resolve(root, file), 'utf8')
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)
  return Array.from(found, ([, target = '']) => ({ file, target }))
}

function wallBroken({ file, target }: Import): string[] {
  const own = packageOf(file)
  const other = target === 'latchkey' ? 'cli' : /^@latchkey\/(\w+)/.exec(target)?.[1]
  if (other !== undefined && !allowed[own]?.includes(other)) {
    return [`${file}: ${own} must not import ${other}`]
  }
  if (/^@latchkey\/\w+\//.test(target)) return [`${file}: reaches into ${target} past its index`]
  if (target.startsWith('.') && packageOf(resolvedFrom(file, target)) !== own) {
    return [`${file}: leaves its package by ${target}`]
  }
  if (pure.some((room) => file.includes(room)) && outside.test(target)) {
    return [`${file}: decides with ${target} in reach`]
  }
  return own === 'protocol' && !target.startsWith('.') ? [`${file}: depends on ${target}`] : []
}

/** Folders of one package as a graph; a cycle is reported by its path. */
function cycles(): string[] {
  const graph = new Map<string, Set<string>>()
  for (const { file, target } of imports) {
    if (!target.startsWith('.')) continue
    const [from, to] = [dirname(file), dirname(resolvedFrom(file, target))]
    if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  }
  const done = new Set<string>()
  const walk = (room: string, trail: readonly string[]): string[] => {
    if (trail.includes(room)) {
      return [`rooms in a circle: ${[...trail.slice(trail.indexOf(room)), room].join(' → ')}`]
    }
    if (done.has(room)) return []
    const found = [...(graph.get(room) ?? [])].flatMap((next) => walk(next, [...trail, room]))
    done.add(room)
    return found
  }
  return [...graph.keys()].flatMap((room) => walk(room, []))
}

function resolvedFrom(file: string, target: string): string {
  return relative(root, resolve(root, dirname(file), target))
    .split(sep)
    .join('/')
}

function packageOf(file: string): string {
  return file.split('/')[1] ?? ''
}
