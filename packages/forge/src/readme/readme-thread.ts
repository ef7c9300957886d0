/** A thread that reads what people wrote: hostile text takes the time of this thread, and of nothing else. */

import { parentPort } from 'node:worker_threads'
import { readCardFacts } from './card/card-facts.ts'
import { validateCard } from './card/validate-card.ts'
import { renderMarkdown } from './render-markdown.ts'

const works = { renderMarkdown, readCardFacts, validateCard }

export type Works = typeof works
export type WorkName = keyof Works

export interface Task<Name extends WorkName = WorkName> {
  readonly name: Name
  readonly args: Parameters<Works[Name]>
}

export interface Done<Name extends WorkName = WorkName> {
  /** Undefined where the text cannot be read. */
  readonly result: ReturnType<Works[Name]> | undefined
}

/** Says that it can work: the time for a text begins no earlier. */
parentPort?.postMessage('ready')
parentPort?.on('message', (task: Task) => {
  parentPort?.postMessage({ result: resultOf(task) } satisfies Done)
})

function resultOf({ name, args }: Task): Done['result'] {
  const work = works[name] as (...args: Task['args']) => Done['result']
  try {
    return work(...args)
  } catch {
    return undefined
  }
}
