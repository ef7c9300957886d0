/** The table: what must run on which Node, written in which way. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf } from '../packages/packages.ts'

export const nodes = [20, 22, 24, 26] as const
export type NodeMajor = (typeof nodes)[number]

/** How the same program is written: as JavaScript, compiled file by file, or checked and bundled. */
export const forms = ['JavaScript', 'TypeScript nodenext', 'TypeScript bundler'] as const
export type Form = (typeof forms)[number]

const gates = ['gate-fetch', 'gate-express', 'gate-fastify', 'gate-hono', 'gate-next'] as const
const projects = ['client', 'xet', ...gates] as const
export type Project = (typeof projects)[number]

export type Cell =
  | { readonly project: Project; readonly node: NodeMajor; readonly form: Form }
  /** The command, which is run and not written: installed before, or fetched by npx for each call. */
  | {
      readonly project: 'latchkey'
      readonly node: NodeMajor
      readonly form: 'installed' | 'fetched'
    }

/** As its package says: `>=22.19` is 22. */
export function oldestNode(project: Cell['project']): NodeMajor {
  const file = join(folderOf(packageOf(project)), 'package.json')
  const { engines } = JSON.parse(readFileSync(file, 'utf8'))
  const oldest = nodes.find((node) => new RegExp(`^>=${node}(?:\\.|$)`).test(engines.node))
  if (oldest === undefined) throw new Error(`${file} says of Node: ${engines.node}`)
  return oldest
}

function packageOf(project: Cell['project']): string {
  if (project === 'latchkey') return 'cli'
  return gates.some((gate) => gate === project) ? 'gate' : project
}

export function nameOf({ project, node, form }: Cell): string {
  return `${project} on Node ${node}, ${form}`
}

const written = projects.flatMap((project) =>
  nodes
    .filter((node) => node >= oldestNode(project))
    .flatMap((node) => forms.map((form) => ({ project, node, form }))),
)

export const wholeTable: readonly Cell[] = [
  ...written,
  ...nodes.map((node) => ({ project: 'latchkey', node, form: 'installed' }) as const),
  { project: 'latchkey', node: 20, form: 'fetched' },
]

/** The oldest Nodes find most of what can be wrong, and the strictest compiler the rest; it is slow, so it reads one. A framework is slow to install. */
export const smallTable: readonly Cell[] = [
  { project: 'client', node: oldestNode('client'), form: 'TypeScript nodenext' },
  { project: 'gate-fetch', node: oldestNode('gate-fetch'), form: 'JavaScript' },
]
