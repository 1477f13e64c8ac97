import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { pack } from './pack.js';
import { entryPoints, packageJson, projectRoot } from './project/entry-points.js';
import { compilers, nodes, runtimes } from './project/tested-versions.js';
import { bundles, sizeOf } from './shape/bundle.js';

/*
 * Packs the package as it would be published, installs it into empty projects outside this one, and
 * uses it there: as ES module and CommonJS module on every supported Node and on other runtimes,
 * through its types with several compilers, bundled for a browser, and with rxjs as the only other
 * package.
 *
 * With --quick, only on the Node that runs this script, on no other runtime, and with the oldest
 * and the newest compiler.
 */
const isQuick = process.argv.includes('--quick');
const testedNodes = isQuick ? nodes.filter(({ node }) => node === 'this') : nodes;
const testedRuntimes = isQuick ? [] : runtimes;
const testedCompilers = isQuick ? [...compilers.slice(0, 1), ...compilers.slice(-1)] : compilers;

const folder = mkdtempSync(join(tmpdir(), 'rx-informers-smoke-'));
try {
  const tarball = pack(folder);
  checkCoreOnly(tarball);
  for (const cell of testedNodes) {
    const project = install(tarball, cell);
    const node = cell.node === 'this' ? process.execPath : join(project, 'node_modules/node/bin/node');
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
    for (const program of ['program.mjs', 'program.cjs', 'http2.mjs']) run(node, [program], project);
    console.log(`Node ${version}, client-node ${cell.clientNode}: import and require work`);
    if (cell.node === '24') {
      checkTypes(project);
      console.log(`client-node ${cell.clientNode}: types work for import and require`);
    }
    if (cell.node === 'this') {
      for (const { name, version: other, command } of testedRuntimes) {
        const [program = '', ...args] = command.split(' ');
        for (const file of ['program.mjs', 'http2.mjs']) run(join(project, program), [...args, file], project);
        console.log(`${name} ${other}: import works`);
      }
      checkTypes(project);
      for (const compiler of testedCompilers) checkDeclarations(project, compiler);
      console.log(`TypeScript ${testedCompilers.join(', ')}: all declarations compile without the DOM`);
      await checkBrowser(project);
      rmSync(join(project, 'node_modules/@kubernetes'), { recursive: true });
      // The file ends in .txt, because it would not compile within this project, which has
      // client-node.
      cpSync(join(project, 'without-client-node.mts.txt'), join(project, 'without-client-node.mts'));
      compile(project, 'without-client-node.mts');
      console.log('without client-node: using a built-in kind does not compile, and the error says what to install');
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], timeout: 300_000 });
}

function install(tarball: string, { node, clientNode }: (typeof nodes)[number]): string {
  const project = join(folder, `node-${node}`);
  cpSync(join(projectRoot, 'scripts/smoke'), project, { recursive: true });
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({
      private: true,
      dependencies: {
        [packageJson.name]: `file:${tarball}`,
        '@kubernetes/client-node': clientNode,
        '@opentelemetry/api': packageJson.peerDependencies['@opentelemetry/api'],
        'prom-client': packageJson.peerDependencies['prom-client'],
        react: packageJson.peerDependencies['react'],
        rxjs: packageJson.peerDependencies.rxjs,
        selfsigned: packageJson.peerDependencies['selfsigned'],
        yaml: packageJson.peerDependencies['yaml'],
        ...(node === 'this' ? onlyOnce() : { node }),
      },
      // Allows the install script of the package `node`, which downloads the program for this
      // machine.
      allowScripts: { node: true, bun: true, deno: true },
    }),
  );
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel', 'error'], project);
  return project;
}

/** The packages that are used with one version of Node only. */
function onlyOnce(): Readonly<Record<string, string>> {
  return {
    '@types/node': '20',
    '@types/react': '19',
    '@types/ws': '8',
    ...Object.fromEntries(testedRuntimes.map(({ name, version }) => [name, version])),
    ...Object.fromEntries(testedCompilers.map((version) => [`typescript-${version}`, `npm:typescript@${version}`])),
  };
}

function checkCoreOnly(tarball: string): void {
  const project = join(folder, 'core-only');
  mkdirSync(project);
  cpSync(join(projectRoot, 'scripts/smoke/core-only.mjs'), join(project, 'core-only.mjs'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true }));
  const install = [
    'install',
    '--no-audit',
    '--no-fund',
    '--loglevel',
    'error',
    tarball,
    `rxjs@${packageJson.peerDependencies['rxjs'] ?? ''}`,
  ];
  run('npm', install, project);
  run(process.execPath, ['core-only.mjs'], project);
  console.log(
    'with rxjs only: the root and /controller work, and /testing names the command that installs what it needs',
  );
}

function checkTypes(project: string): void {
  const program = readFileSync(join(project, 'types.mts'), 'utf8');
  mkdirSync(join(project, 'types'), { recursive: true });
  writeFileSync(join(project, 'types/import.mts'), program);
  writeFileSync(join(project, 'types/require.cts'), program);
  compile(project, 'types/import.mts', 'types/require.cts');
}

/**
 * Compiles the declarations of all entry points, without `skipLibCheck` and without the DOM. In
 * CommonJS, compilers before 5.8 refuse the types of client-node, which is an ES module.
 */
function checkDeclarations(project: string, version: string): void {
  const files = Number.parseFloat(version) < 5.8 ? ['all.mts'] : ['all.mts', 'all.cts'];
  const specifiers = entryPoints.map(({ specifier }) => specifier);
  writeFileSync(join(project, 'all.mts'), specifiers.map((each) => `import '${each}';\n`).join(''));
  writeFileSync(join(project, 'all.cts'), specifiers.map((each, i) => `import e${i} = require('${each}');\n`).join(''));
  writeFileSync(
    join(project, 'declarations.json'),
    JSON.stringify({
      compilerOptions: {
        noEmit: true,
        strict: true,
        module: 'nodenext',
        target: 'es2022',
        lib: ['es2022'],
        types: ['node'],
      },
      files: ['types.mts', ...files],
    }),
  );
  run(process.execPath, [`node_modules/typescript-${version}/bin/tsc`, '--project', 'declarations.json'], project);
}

function compile(project: string, ...files: readonly string[]): void {
  const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc');
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext'];
  run(process.execPath, [compiler, ...options, ...files], project);
}

async function checkBrowser(project: string): Promise<void> {
  const tooLarge: string[] = [];
  for (const bundle of bundles) {
    const { name, budget } = bundle;
    const { kilobytes } = await sizeOf(bundle, { specifierOf: (entry) => entry, folder: project });
    console.log(`${name}: ${kilobytes.toFixed(1)} kB (minified, gzip, NODE_ENV=production, without peers)`);
    if (kilobytes > budget)
      tooLarge.push(`${name} has ${kilobytes.toFixed(2)} kB, more than its budget of ${budget} kB`);
  }
  if (tooLarge.length > 0) throw new Error(tooLarge.join('\n'));

  const context: Record<string, unknown> = {};
  const browserGlobals = {
    AbortController,
    clearInterval,
    clearTimeout,
    performance,
    queueMicrotask,
    setInterval,
    setTimeout,
    structuredClone,
    TextDecoder,
    TextEncoder,
    URL,
  };
  runInNewContext(
    await bundle(project, readFileSync(join(project, 'browser.mjs'), 'utf8')),
    Object.assign(context, browserGlobals),
  );
  if (context.names !== 'a')
    throw new Error(`in the browser bundle the bucket holds ${String(context.names)} instead of a`);
  if (context.stored !== 'b')
    throw new Error(`in the browser bundle the API server holds ${String(context.stored)} instead of b`);
}

/**
 * Bundles a program for a browser. esbuild refuses modules that a browser does not have, so a
 * written bundle imports none of them.
 */
async function bundle(project: string, contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: project },
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
  });
  const [output] = outputFiles;
  if (output === undefined || /["'`]node:/.test(output.text))
    throw new Error('the browser bundle holds an import of a Node module');
  return output.text;
}
