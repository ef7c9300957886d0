/** The words that hub, gate and client share. No I/O, no clock, no dependencies. */

export * from './bearer.ts'
export * from './problem.ts'
export * from './refusal.ts'
export * from './repo-ref.ts'
export * from './revision.ts'
export * from './scope.ts'
export * from './secret.ts'
export * from './time.ts'
export * from './token-path.ts'
export * from './token-response.ts'
