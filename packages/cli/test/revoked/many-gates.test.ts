/** From a command to the first refusal at every gate, with real hubs and gates. */

import { setTimeout as delay } from 'node:timers/promises'
import { rounds } from '@latchkey/testing/chance'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryDirectory } from '../run-latchkey.ts'
import { type Gate, type Held, openSite, type Site, statusAt } from './site.ts'
import { makeVictims, ways } from './victims.ts'

const count = rounds(ways.length, 200)
const looksApartMs = 500
const isSoak = rounds(0, 1) === 1

// conformance: Guarantees / Every gate rejects a revoked token within 9 seconds while the hub responds
// conformance: Attacks / 48. An attacker continues to use a token after access was removed
it(`${count} tokens are taken back in ${ways.length} ways at three hubs: all five gates refuse each within the bound they state`, async () => {
  const cwd = temporaryDirectory()
  const chosen = Array.from({ length: count }, (_, index) => ways[index % ways.length] ?? ways[0])
  // Those that nobody takes anything from.
  const controls = ways.slice(0, 3)
  const victims = await makeVictims(
    cwd,
    [...chosen, ...controls].filter((way) => way !== undefined),
  )
  const site = await openSite(cwd)
  onTestFinished(site.close)
  const held = await Promise.all(
    victims.map(({ hubToken, repository }, index) =>
      site.tokenFor(hubToken, `${repository}@${chosen[index]?.revision ?? 'main'}`),
    ),
  )
  expect(await statuses(site, held)).toEqual(new Set([200]))

  const lag = timerLag()
  const waits: Promise<readonly number[]>[] = []
  for (const [index, way] of chosen.entries()) {
    const [victim, token] = [victims[index], held[index]]
    if (victim === undefined || token === undefined || way === undefined) continue
    const began = performance.now()
    await way.take(site, victim, token)
    waits.push(Promise.all(site.gates.map((gate) => untilRefused(gate, token, began))))
  }
  const slowest = Math.max(...(await Promise.all(waits)).flat())
  const lateSeconds = lag.end()
  const [gate] = site.gates
  const bound = (await gate?.told())?.normalBoundSeconds ?? 0
  process.stdout.write(
    `${count} revocations, five gates: at most ${slowest.toFixed(2)} s, bound ${bound} s\n`,
  )
  expect(bound).toBeLessThanOrEqual(10)
  // On a machine that lets processes wait, the gates wait too.
  expect(slowest).toBeLessThan(bound + 2 * lateSeconds)
  expect(await statuses(site, held.slice(count)), 'nobody else lost anything').toEqual(
    new Set([200]),
  )

  // A gate that is started again knows everything that was taken back before it lets anybody in.
  const restarted = await site.startGate(4)
  expect(await statuses({ gates: [restarted] }, held.slice(0, count))).toEqual(new Set([401]))
  if (isSoak) await expectWithheldBound(site, held.slice(count))
}, 300_000)

/** The hubs are stopped, not ended: they take connections and say nothing. */
async function expectWithheldBound({ hubs, gates }: Site, alive: readonly Held[]): Promise<void> {
  const [token] = alive
  if (token === undefined) throw new Error('nobody has a token that was not taken back')
  for (const { child } of hubs) child?.kill('SIGSTOP')
  const began = performance.now()
  const waits = await Promise.all(gates.map((gate) => untilRefused(gate, token, began)))
  for (const { child } of hubs) child?.kill('SIGCONT')
  const bound = (await gates[0]?.told())?.withheldBoundSeconds ?? 60
  process.stdout.write(
    `hubs withheld: at most ${Math.max(...waits).toFixed(2)} s, bound ${bound} s\n`,
  )
  expect(Math.max(...waits)).toBeLessThan(bound + 1)
}

/** By how many seconds a timer was late, at most. */
function timerLag(): { end(): number } {
  let [due, most] = [performance.now() + looksApartMs, 0]
  const timer = setInterval(() => {
    most = Math.max(most, performance.now() - due)
    due = performance.now() + looksApartMs
  }, looksApartMs)
  return {
    end() {
      clearInterval(timer)
      return most / 1000
    },
  }
}

/** Seconds from the command until this gate refuses the token. */
async function untilRefused(gate: Gate, token: Held, began: number): Promise<number> {
  while ((await statusAt(gate, token)) === 200) await delay(looksApartMs)
  return (performance.now() - began) / 1000
}

async function statuses(
  { gates }: Pick<Site, 'gates'>,
  held: readonly Held[],
): Promise<Set<number>> {
  const all = gates.flatMap((gate) => held.map((token) => statusAt(gate, token)))
  return new Set(await Promise.all(all))
}
