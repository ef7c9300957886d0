/** The plan as a page of Markdown, and where it stands in the documents. */

import { bodies, type Costs, type IssueCosts } from './costs.ts'
import { type Assumptions, gateCores, type HubPlan, planHub } from './plan-hub.ts'

/** Changes of the directory a second, side by side. */
const paces = [0, 1, 10, 100]

export function planText(costs: Costs, assumed: Assumptions): string {
  const { PostgreSQL: issue } = costs
  if (issue === undefined) {
    throw new Error('the results have no token requests on PostgreSQL: run the part issue with it')
  }
  return [
    ...oneCore(costs, assumed),
    '',
    `A hub for ${grouped(assumed.repositories)} repositories and ${grouped(assumed.tokenRequestsPerSecond)} token requests a second, on PostgreSQL. ${sizeNote(issue, assumed)}`,
    '',
    `Assumed: ${assumptions(assumed).join('; ')}.`,
    '',
    ...largeHub(costs, issue, assumed),
  ].join('\n')
}

function oneCore({ SQLite, PostgreSQL, gate }: Costs, { busy }: Assumptions): readonly string[] {
  const issueRows = Object.entries({ SQLite, PostgreSQL }).flatMap(([name, costs]) =>
    costs === undefined
      ? []
      : [
          [`token request that the hub remembers, ${name}`, costs.known.hub] as const,
          [`token request that it does not, ${name}`, costs.first.hub] as const,
        ],
  )
  const rows: readonly (readonly [string, number | undefined])[] = [
    ...issueRows,
    ['check of a token seen before', gate.seen],
    ['check of a token not seen before', gate.unseen],
    [`storage request of ${bodies} through the gateway`, gate.gateway],
    [`storage request of ${bodies} through nginx that asks the gate, both`, gate.asking],
  ]
  return table(
    ['one core', 'µs of CPU time', `a second, with ${percent(busy)} of it used`],
    rows.map(([what, micros]) => [
      what,
      micros === undefined ? 'not measured' : digits(micros),
      micros === undefined ? '–' : grouped((busy * 1e6) / micros),
    ]),
  )
}

function largeHub(costs: Costs, issue: IssueCosts, assumed: Assumptions): readonly string[] {
  const plans = paces.map((changesPerSecond) => planHub(issue, { ...assumed, changesPerSecond }))
  const row = (what: string, value: (plan: HubPlan) => string) => [what, ...plans.map(value)]
  const { postgresConnections, postgresCores, storageRequestsPerToken: uses } = assumed
  const gates = (kind: 'gateway' | 'asking') => {
    const cores = gateCores(costs, kind, assumed)
    return () => (cores === undefined ? 'not measured' : grouped(cores))
  }
  return table(
    ['changes of the directory a second', ...paces.map(String)],
    [
      row('requests that hubs remember', ({ known }) => percent(known)),
      row('cores for hubs, one process each', ({ hubCores }) => grouped(hubCores)),
      row('memory for hubs, GB', ({ hubGigabytes }) => digits(hubGigabytes)),
      row('cores for PostgreSQL', (plan) => grouped(plan.postgresCores)),
      row('directory in PostgreSQL’s cache, GB', (plan) => digits(plan.directoryGigabytes)),
      row('connections to PostgreSQL, at most', ({ connections }) => grouped(connections)),
      row(`cores for gateways, ${uses} storage requests with a token`, gates('gateway')),
      row('cores for nginx that asks the gate, instead', gates('asking')),
      row(`token requests a second at ${postgresConnections} connections`, ({ reached }) =>
        limit(reached.connections),
      ),
      row(`token requests a second at ${postgresCores} cores of PostgreSQL`, ({ reached }) =>
        limit(reached.cores),
      ),
      row('what breaks first', ({ reached }) =>
        reached.connections <= reached.cores ? 'connections' : 'cores of PostgreSQL',
      ),
    ],
  )
}

function assumptions(assumed: Assumptions): readonly string[] {
  return [
    `${grouped(assumed.hotRepositories)} repositories are asked for at a time, all alike and at every process of a hub`,
    `${percent(assumed.busy)} of each core is used`,
    `a process of a hub takes ${assumed.connectionsOfHub} connections`,
    `one PostgreSQL server has ${assumed.postgresCores} cores and ${assumed.postgresConnections} connections`,
    `a token is used for ${assumed.storageRequestsPerToken} storage requests of ${bodies}, the first of which is new to the gate`,
  ]
}

function sizeNote({ repositories }: IssueCosts, assumed: Assumptions): string {
  if (repositories >= assumed.repositories)
    return 'The costs are those of a directory of that size.'
  return `The costs are those of a directory of ${grouped(repositories)}, the largest that these results have.`
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)]
}

function digits(value: number): string {
  return value >= 100 ? grouped(value) : String(Number(value.toPrecision(2)))
}

/** 12 345 678: with spaces, as the documents write it. */
function grouped(value: number): string {
  return value.toFixed(0).replaceAll(/\B(?=(?:\d{3})+$)/g, ' ')
}

function limit(value: number): string {
  return Number.isFinite(value) ? grouped(Number(value.toPrecision(2))) : 'no limit'
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

const marks = ['<!-- npm run bench:plan writes from here -->', '<!-- to here -->'] as const

/** The document with the plan between its marks. */
export function withPlan(document: string, plan: string): string {
  const [from, to] = marks.map((mark) => document.indexOf(mark)) as [number, number]
  if (from === -1 || to < from) throw new Error(`the document has no place marked for the plan`)
  return `${document.slice(0, from)}${marks[0]}\n\n${plan}\n\n${document.slice(to)}`
}
