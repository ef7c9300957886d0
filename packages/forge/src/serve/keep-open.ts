/** Opens the forge once its hub responds, and looks whether the hub still does. */

import { CannotStart } from '@latchkey/service/machine/errors'
import type { Timers } from '@latchkey/service/machine/time'
import { GitUnavailable } from '../git/index.ts'
import type { OpenForge } from './open-forge.ts'

export interface KeptOpen {
  /** Undefined until it is open. A hub that is away or refuses answers no question later either. */
  forge(): OpenForge | undefined
  /** Why it cannot serve, in a sentence for the operator. */
  findFault(): string | undefined
  stop(): Promise<void>
}

export interface KeepOpenDeps {
  readonly open: () => Promise<OpenForge>
  /** Why the hub would answer no question; undefined where it answers. */
  readonly findFault: () => Promise<string | undefined>
  readonly timers: Pick<Timers, 'after'>
  onChange(fault: string | undefined): void
  onFailure(error: unknown): void
}

/** While there is a fault. */
const againMs = 1000
const lookMs = 5000

/** Comes back after the first try. A hub that refuses this forge, or a machine without git, ends the start. */
export async function keepOpen(deps: KeepOpenDeps): Promise<KeptOpen> {
  let forge: OpenForge | undefined
  let fault: string | undefined = 'The forge has not asked its hub yet.'
  let isStopped = false
  let endTimer = () => {}
  const put = (found: string | undefined) => {
    if (found !== fault) deps.onChange(found)
    fault = found
  }
  const look = async () => {
    const found = await deps.findFault()
    if (found === undefined) forge ??= await deps.open()
    put(found)
  }
  const first = await look().catch((error) => error)
  if (first instanceof CannotStart) throw first
  if (first instanceof GitUnavailable) throw new CannotStart(first.message)
  const failed = (error: unknown) => {
    const isKnown = error instanceof CannotStart || error instanceof GitUnavailable
    if (!isKnown) deps.onFailure(error)
    put(isKnown ? error.message : 'The forge could not be opened. Its log says why.')
  }
  if (first !== undefined) failed(first)
  let looking = Promise.resolve()
  const lookLater = () => {
    if (isStopped) return
    endTimer = deps.timers.after(fault === undefined ? lookMs : againMs, () => {
      looking = look().catch(failed).then(lookLater)
    })
  }
  lookLater()
  return {
    forge: () => forge,
    findFault: () => fault,
    async stop() {
      isStopped = true
      endTimer()
      await looking
      await forge?.close()
    },
  }
}
