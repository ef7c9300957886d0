/** What the TypeScript compiler, a program in Go, is started with: it ends before collecting garbage pays. */
export const tscEnvironment = { GOGC: '400' }
