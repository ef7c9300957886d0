/** An admitted request while it runs: its signal is aborted as soon as its token is revoked. */

import type { Refusal } from '@latchkey/protocol'
import type { Admitted, Gate } from '../check/create-gate.ts'

export interface AdmittedRequest extends Admitted {
  /**
   * Aborted when the token is revoked while the request runs, or the gate can no longer know whether it is. Pass it to
   * whatever the handler waits for. Its reason is a `RequestCut`.
   */
  readonly signal: AbortSignal
}

/** Why the gate ended a request that it had admitted. */
export class RequestCut extends Error {
  override readonly name = 'RequestCut'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

export interface Watch {
  readonly admitted: AdmittedRequest
  /** To be called when the request is over. */
  end(): void
}

/** `onCut` is called after the signal was aborted. */
export function watchRequest(
  gate: Gate,
  admitted: Admitted,
  onCut: (refusal: Refusal) => void,
): Watch {
  const controller = new AbortController()
  const end = gate.watch(admitted.grant, (refusal) => {
    controller.abort(new RequestCut(refusal))
    onCut(refusal)
  })
  return { admitted: { ...admitted, signal: controller.signal }, end }
}
