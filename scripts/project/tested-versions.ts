/*
 * The versions with which `npm run task -- smoke` uses the packed package.
 * docs/reference/compatibility.md is written from this list.
 */

/** A version of Node, or `this` for the one that runs the script, and a version of client-node. */
interface TestedNode {
  readonly node: string;
  readonly clientNode: string;
}

export const nodes: readonly TestedNode[] = [
  { node: 'this', clientNode: '1.4.0' },
  { node: '22', clientNode: '2.0.1' },
  { node: '24', clientNode: '2.0.1' },
];

/** Another runtime: the package of npm that contains it, and how to start it. */
interface TestedRuntime {
  readonly name: string;
  readonly version: string;
  readonly command: string;
}

export const runtimes: readonly TestedRuntime[] = [
  { name: 'bun', version: '1.4.5', command: 'node_modules/bun/bin/bun.exe' },
  { name: 'deno', version: '2.9.6', command: 'node_modules/deno/deno run -A --node-modules-dir=manual' },
];

/** Compilers of TypeScript. Each compiles all declarations, without `skipLibCheck` or the DOM. */
export const compilers = ['5.4.5', '5.6.3', '5.9.3', '6.0.3', '7.0.2'];
