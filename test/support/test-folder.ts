import type { Test } from "tap";

/**
 * The test's own folder, as `t.testdir`, which is removed after the test's teardowns. tap removes a folder before them
 * if `t.testdir` is called before the first `t.teardown`: under a hub that still writes into it.
 */
export function testFolder(
  t: Pick<Test, "teardown" | "testdir">,
  content: Parameters<Test["testdir"]>[0] = {},
): string {
  t.teardown(() => {}); // sets the order
  return t.testdir(content);
}
