import { checksOfDevices } from './devices.ts'
import { checksOfForwarding } from './forwarding.ts'
import { checksOfJobsAndRoles } from './jobs-and-roles.ts'
import type { RemovedCheck } from './removed-check.ts'
import { checksOfSignIns } from './sign-ins.ts'

export const removedChecks: readonly RemovedCheck[] = [
  ...checksOfSignIns,
  ...checksOfDevices,
  ...checksOfJobsAndRoles,
  ...checksOfForwarding,
]
