/** How far a long command has come, in words for people. */
export type OnProgress = (what: string, count: number) => void
