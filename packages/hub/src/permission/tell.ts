/** The steps of a decision, told to whoever explains it; the hot path listens to none. */

export interface Step {
  readonly step: string
  readonly passed: boolean
  readonly detail: string
}

/** Details are made only when somebody listens. */
export type Tell = (step: string, passed: boolean, detail: () => string) => void

export const silent: Tell = () => {}
