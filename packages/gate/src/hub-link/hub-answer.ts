/** What the hub has answered to a question of a storage, before anybody has read it. */

export interface HubAnswer {
  readonly path: string
  readonly status: number
  /** Undefined where the body is no JSON. */
  readonly value: unknown
}
