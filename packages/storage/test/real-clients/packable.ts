/** Content that clients make smaller before they send it, each in another way. */

/** Lines that resemble each other. */
export const lines = Buffer.from(
  Array.from({ length: 15_000 }, (_, count) => `{"row":${count},"value":"${count % 7}"}\n`).join(
    '',
  ),
)

/** Numbers whose bytes are alike at the same place of each: clients sort them by place first. */
export const numbers = Buffer.from(
  Float32Array.from({ length: 100_000 }, (_, count) => 1 + Math.sin(count / 1000) / 100).buffer,
)
