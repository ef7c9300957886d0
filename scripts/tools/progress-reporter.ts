/** Shows how far a run of the tests is: on a terminal in one line that it writes anew, elsewhere in a line for each tenth. */

import {
  DefaultReporter,
  type TestCase,
  type TestModule,
  type TestSpecification,
} from 'vitest/node'

const everyMs = 1000
/** Of a file that has not run on this machine before. */
const usualMs = 1000

export class ProgressReporter extends DefaultReporter {
  readonly #isTerminal = process.stdout.isTTY === true
  readonly #expectedMs = new Map<string, number>()
  #allMs = 0
  #endedMs = 0
  #failed = 0
  #startedAt = 0
  #tenths = 0
  #timer: NodeJS.Timeout | undefined

  constructor() {
    super({ summary: false })
  }

  override onTestRunStart(specifications: readonly TestSpecification[]): void {
    super.onTestRunStart(specifications)
    for (const specification of specifications) {
      const { project, moduleId } = specification
      const before = this.ctx.cache.getTestSpecificationResult(specification)?.duration
      this.#expectedMs.set(`${project.name}:${moduleId}`, before || usualMs)
    }
    this.#allMs = this.#expectedMs.values().reduce((sum, one) => sum + one, 0)
    this.#startedAt = performance.now()
    if (this.#isTerminal) this.#timer = setInterval(() => this.#show(), everyMs)
  }

  override onTestCaseResult(testCase: TestCase): void {
    super.onTestCaseResult(testCase)
    if (testCase.result().state === 'failed') this.#failed += 1
  }

  override onTestModuleEnd(testModule: TestModule): void {
    super.onTestModuleEnd(testModule)
    this.#endedMs += this.#expectedMs.get(`${testModule.project.name}:${testModule.moduleId}`) ?? 0
    const tenths = Math.floor((10 * this.#endedMs) / this.#allMs)
    if (this.#isTerminal) this.#show()
    else if (tenths > this.#tenths) console.log(this.#progress())
    this.#tenths = tenths
  }

  override onUserConsoleLog(...log: Parameters<DefaultReporter['onUserConsoleLog']>): void {
    this.clear()
    super.onUserConsoleLog(...log)
  }

  override onTestRunEnd(...end: Parameters<DefaultReporter['onTestRunEnd']>): void {
    clearInterval(this.#timer)
    this.clear()
    super.onTestRunEnd(...end)
  }

  /** Each file has a line of its own otherwise. */
  override printTestModule(): void {}

  /** Before others write to the terminal. */
  clear(): void {
    if (this.#isTerminal) process.stdout.write('\r\x1b[K')
  }

  #show(): void {
    this.clear()
    process.stdout.write(this.#progress())
  }

  #progress(): string {
    const share = this.#endedMs / this.#allMs
    const leftMs = ((performance.now() - this.#startedAt) * (1 - share)) / share
    const left = share > 0.02 ? `, about ${minutes(leftMs)} left` : ''
    return `${Math.floor(share * 100)} %, ${this.#failed} failed${left}`
  }
}

function minutes(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
