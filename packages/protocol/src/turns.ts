/** Runs work that must not run twice at a time: one run for all callers, or one after the other. */

/** Callers that come while a run is under way get its result. */
export function shareRunning<Input extends readonly unknown[], Result>(
  run: (...input: Input) => Promise<Result>,
): (...input: Input) => Promise<Result> {
  let running: Promise<Result> | undefined
  return (...input) => {
    running ??= run(...input).finally(() => {
      running = undefined
    })
    return running
  }
}

export type TurnRunner = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Runs one piece of work at a time, in the order of the calls. The next one begins when this one has also rested. */
export function turns(rest: () => unknown = () => {}): TurnRunner {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.then(rest, rest)
    return result
  }
}
