/** Runs a command, and where it is refused the command that the refusal names, and then the refused one again. */

import { latchkeyHere as latchkey } from '../run-here.ts'
import type { Ended } from '../run-latchkey.ts'
import type { Typed } from './commands.ts'
import { finalReasons } from './final-reasons.ts'

export interface Place {
  readonly cwd: string
  /** The reasons that were met and are final. */
  readonly met: Set<string>
  /** A new name, each time another. */
  newName(): string
}

/** Longer than any chain: a repository needs a namespace, a role needs both and an account. */
const maxSteps = 12

export class DeadEnd extends Error {}

/** How a chain ends: the command is done, or a refusal on the way is final by its nature. */
type End = 'done' | 'final'

export async function follow(place: Place, typed: Typed, depth = 0): Promise<End> {
  const words = await filled(place, typed.words)
  let before = ''
  for (let step = 0; step < maxSteps; step += 1) {
    const told = await latchkey(words, { cwd: place.cwd, input: typed.input })
    if (told.code === 0) return 'done'
    const next = nextIn(told)
    if (next === undefined || depth > maxSteps) throw deadEnd(words, told)
    if (destroys(next) && !destroys(words)) throw destruction(words, told)
    const led = await follow(place, { words: next, input: '' }, depth + 1)
    const reason = finalReasons.find(({ says }) => says.test(told.stderr))
    if (reason !== undefined) {
      place.met.add(reason.why)
      return 'final'
    }
    if (told.stderr === before && led === 'final') return 'final'
    if (told.stderr === before) throw deadEnd(words, told)
    before = told.stderr
  }
  throw new DeadEnd(`latchkey ${words.join(' ')} never ends`)
}

/** A person pastes the next command as it is printed, so it may take nothing away that he did not ask for. */
function destroys(words: readonly string[]): boolean {
  const [noun = '', verb = ''] = words
  const isPrune = noun === 'apply' && words.includes('--prune')
  return isPrune || noun === 'revoke' || ['delete', 'revoke', 'retire'].includes(verb)
}

function destruction(words: readonly string[], { stderr }: Ended): DeadEnd {
  return new DeadEnd(`latchkey ${words.join(' ')} leads to a command that destroys: ${stderr}`)
}

function deadEnd(words: readonly string[], { code, stderr }: Ended): DeadEnd {
  return new DeadEnd(`latchkey ${words.join(' ')} ends with ${code}: ${stderr}`)
}

/** As a shell would read it. */
function nextIn({ stderr }: Ended): readonly string[] | undefined {
  const line = / Next: latchkey (.+)\n$/.exec(stderr)?.[1]
  return line?.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'(.*)'$/, '$1'))
}

/** Words in capitals stand for what a person would fill in. */
async function filled(place: Place, words: readonly string[]): Promise<readonly string[]> {
  const first = async (list: string, member: string) => {
    const { stdout } = await latchkey([...list.split(' '), '--json'], { cwd: place.cwd })
    const items: readonly Record<string, string>[] = stdout === '' ? [] : JSON.parse(stdout).items
    return items[0]?.[member]
  }
  const filling: Readonly<Record<string, () => Promise<string>>> = {
    NAME: async () => place.newName(),
    ACCOUNT: async () => 'ada',
    COMMIT: async () => '9'.repeat(40),
    ID: async () => (await first('hub-token list --state all', 'id')) ?? 'b'.repeat(26),
    KID: async () => (await first('keys list', 'kid')) ?? 'k'.repeat(43),
  }
  return Promise.all(words.map((word) => filling[word]?.() ?? word))
}
