/** Finds the verb that a raw request target means. */

import { adminPrefix, memberNames, segmentsOf, type Verb, verbs } from '@latchkey/admin-api'
import { pathOf, type Refusal, refuse } from '@latchkey/protocol'

interface Route {
  readonly verb: Verb
  readonly shape: RegExp
  readonly members: readonly string[]
}

export interface Matched {
  readonly verb: Verb
  readonly members: Readonly<Record<string, string>>
}

const routes: readonly Route[] = verbs.map((verb) => ({
  verb,
  shape: new RegExp(`^${adminPrefix}${verb.path.replace(/\{(\w+)\}/g, captureOf)}$`),
  members: memberNames(verb),
}))

export function matchRoute(method: string, target: string): Matched | Refusal {
  const path = pathOf(target)
  const here = routes.filter(({ shape }) => shape.test(path))
  if (here.length === 0) return nothingHere()
  const wanted = method === 'HEAD' ? 'GET' : method
  const route = here.find(({ verb }) => verb.method === wanted)
  if (route === undefined) return notAllowed(here)
  const members = readMembers(route, path)
  return members === undefined ? nothingHere() : { verb: route.verb, members }
}

function captureOf(_: string, member: string): string {
  const segments = segmentsOf(member).map(() => '[^/]+')
  return `(${segments.join('/')})`
}

function readMembers({ shape, members }: Route, path: string): Record<string, string> | undefined {
  const texts = shape.exec(path)?.slice(1) ?? []
  try {
    return Object.fromEntries(
      members.map((member, index) => [member, decodeURIComponent(texts[index] ?? '')]),
    )
  } catch {
    return undefined
  }
}

function notAllowed(routes: readonly Route[]): Refusal {
  const methods = routes.map(({ verb }) => (verb.method === 'GET' ? 'GET, HEAD' : verb.method))
  const allow = methods.join(', ')
  const detail = `This method does nothing at this path. Allowed are ${allow}.`
  return refuse('method_not_allowed', detail, { allow })
}

function nothingHere(): Refusal {
  return refuse(
    'not_found',
    'The admin API serves nothing at this path. /openapi.json lists what there is.',
  )
}
