/** The progress bar of a transfer: where somebody sees it, and never among the data. */

import { type ProgressBar, progressBar } from './progress-bar.ts'

export interface TransferBar {
  readonly watch: Partial<ProgressBar['watch']>
  /** The storage has answered. */
  answered(): void
  end(): void
}

/**
 * Undefined without a terminal. If the output goes to the same terminal, the bar disappears before
 * it.
 */
export function barFor(output: unknown): TransferBar | undefined {
  const { stderr, stdout, env } = process
  if (!stderr.isTTY || env['TERM'] === 'dumb') return undefined
  const { watch, end } = progressBar(stderr, () => performance.now())
  process.once('exit', end)
  const isAmongData = stdout.isTTY && (output === undefined || output === '-')
  if (!isAmongData) return { watch, answered() {}, end }
  const { onUploadProgress, onReadProgress } = watch
  return { watch: { onUploadProgress, onReadProgress }, answered: end, end }
}
