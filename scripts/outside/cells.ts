/** The table: what must run on which Node, written in which way. */

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
  /** The command, which is run and not written. */
  | { readonly project: 'latchkey'; readonly node: NodeMajor }

/** As the package.json of its package says. */
export function oldestNode(project: Cell['project']): NodeMajor {
  return gates.some((gate) => gate === project) ? 22 : 20
}

export function nameOf(cell: Cell): string {
  const { project, node } = cell
  return `${project} on Node ${node}${cell.project === 'latchkey' ? '' : `, ${cell.form}`}`
}

const written = projects.flatMap((project) =>
  nodes
    .filter((node) => node >= oldestNode(project))
    .flatMap((node) => forms.map((form) => ({ project, node, form }))),
)

export const wholeTable: readonly Cell[] = [
  ...written,
  ...nodes.map((node) => ({ project: 'latchkey', node }) as const),
]

/** The oldest Nodes and the strictest compiler find most of what can be wrong. */
export const smallTable: readonly Cell[] = (['client', 'gate-express'] as const).map((project) => ({
  project,
  node: oldestNode(project),
  form: 'TypeScript nodenext',
}))
