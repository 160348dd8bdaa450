/**
 * Options of Ajv for the contract's own schemas. Compiling a schema blocks everything else (measured: the largest took
 * 92 ms, and takes 45 ms with these): they are not checked against the meta-schema, which a test does, and the code is
 * not optimised for size, which would make no check faster. Referenced schemas are compiled separately, so that a large
 * schema can be compiled a piece at a time (compile-in-turns.ts).
 */
export const QUICKLY_COMPILED = {
  meta: false,
  validateSchema: false,
  inlineRefs: false,
  code: { optimize: false },
} as const;
