/** The headers by which a gate tells a storage who is admitted, and those that it accepts from nobody. */

export { identityHeaders } from './grant/grant.ts'
export { namesIdentity, refuseHeader } from './request/header-rules.ts'
