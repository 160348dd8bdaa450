/**
 * Options of Ajv for the contract's own schemas. A schema is compiled while everybody else waits (measured: the largest
 * took 92 ms, and takes 45 ms with these): they are not held to the meta-schema, which a test does, and the code is not
 * made smaller, which makes no check faster. What is referred to is compiled by itself, so that a large schema can be
 * compiled a piece at a time (compile-in-turns.ts).
 */
export const QUICKLY_COMPILED = {
  meta: false,
  validateSchema: false,
  inlineRefs: false,
  code: { optimize: false },
} as const;
