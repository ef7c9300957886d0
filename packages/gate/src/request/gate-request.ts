/** A storage request as the gate judges it, whatever server it came through. */

export interface GateRequest {
  readonly method: string
  /** The request target as it came: path and query, or the absolute form. */
  readonly target: string
  /** Names and values in turn, repeated headers repeated. */
  readonly headers: readonly string[]
  /** Where forged tokens are counted; leave it out where it is not known. */
  readonly address?: string | undefined
}
