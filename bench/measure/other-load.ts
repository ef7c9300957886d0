/** Whether others were at work on the machine too, so that figures are worse than its own. */

/** A server and a load generator keep two cores busy by themselves, and a database one more. */
const maxForEachCore = 2

export interface MachineLoad {
  readonly cores: number
  readonly loadAtTheEnd?: number | undefined
}

/** Empty, or a note for those who read the figures. */
export function noteOnLoad({ cores, loadAtTheEnd = 0 }: MachineLoad): string {
  if (loadAtTheEnd <= maxForEachCore * cores) return ''
  return `Measured beside other load (${loadAtTheEnd.toFixed(0)} on ${cores} cores): times are too long.`
}
