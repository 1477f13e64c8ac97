/** A check of `.ci/run`. */
export interface Step {
  readonly name: string;
  /** A command line for bash, run in the root of the project. */
  readonly command: string;
  /**
   * Names of earlier steps that must have passed, because this step reads the files that they
   * write.
   */
  readonly after?: readonly string[];
  /**
   * How many processors the step keeps busy: a fraction if it waits most of the time, `Infinity` if
   * it needs a machine of its own. Default: 1.
   */
  readonly processors?: number;
  /**
   * Matches the paths that the step reads, besides the sources. The step is left out if none of
   * them has changed. Default: the step always runs.
   */
  readonly inputs?: RegExp;
  /** True if the step starts the API servers of ../shared/rig. Default: false. */
  readonly needsRig?: true;
  /** Minutes after which the step is ended and counts as failed. Default: 15. */
  readonly minutes?: number;
}

const houses = 'packages of the houses';
const tools = 'Chromium, kubectl';
const pack = 'npm pack';

/** Installs Chromium and kubectl, if they are missing. */
export const installTools: Step = { name: tools, command: 'scripts/ci/tools.sh' };

/** Builds and packs the package. Other steps install the tarball. */
export const packPackage: Step = { name: pack, command: 'npm pack --silent --pack-destination "$(mktemp -d)"' };

/**
 * Installs the packages of houses. No other step runs meanwhile, because it would find these
 * folders half full.
 */
export const installHouses = (...folders: readonly string[]): Step => ({
  name: houses,
  command: `node scripts/install.mjs ${folders.join(' ')}`,
  processors: Infinity,
});

/** The folders whose packages a change needs. The others have older versions of React. */
const housesOfChange = ['scripts', 'site', 'apps/dashboard', 'bench', 'test/react', 'test/frameworks', 'examples'];

/**
 * The checks after each change, in the order in which they start. Steps that wait for servers come
 * first, then long steps, so that shorter steps fill the processors beside them. All random tests
 * have fixed seeds, and no step judges how long something takes: `nightlySteps` has what does.
 */
export const changeSteps: readonly Step[] = [
  installHouses(...housesOfChange),
  { name: 'npm test', command: 'scripts/ci/readme.sh test', processors: Infinity },
  installTools,
  {
    name: 'cluster tests',
    command: 'scripts/ci/cluster.sh tests',
    after: [houses, tools],
    processors: 0.5,
    needsRig: true,
    minutes: 30,
  },
  {
    name: 'soak, two minutes over HTTP/2',
    command: 'scripts/ci/cluster.sh soak --minutes 2 --http2',
    after: [houses, tools],
    processors: 0.5,
    needsRig: true,
  },
  // Builds the package, too.
  packPackage,
  { name: 'site', command: 'npx tsx site/scripts/site.ts && npx tsx site/scripts/check.ts', after: [houses] },
  { name: 'lint', command: 'npm run --silent lint', after: [houses] },
  {
    name: 'tests of the dashboard',
    command: 'npm test --silent --prefix apps/dashboard -- --maxWorkers 1',
    after: [houses],
  },
  {
    name: 'tests of the examples',
    command: 'npm run --silent task -- test:examples --maxWorkers 1',
    after: [houses],
  },
  { name: 'types', command: 'npm run --silent typecheck', after: [houses] },
  {
    name: 'a path through each page of the dashboard, in Chromium',
    command:
      'scripts/ci/readme.sh dashboard && npm run --silent test:browser --prefix apps/dashboard -- --maxWorkers 2 browser/paths',
    after: [tools, houses],
    processors: 2,
  },
  {
    name: 'packed package',
    command: 'npm run --silent task -- smoke --quick && npm run --silent task -- package:check',
    after: [pack, houses],
  },
  {
    name: 'random commits of derived collections',
    command: `RUNS=25 npm test --silent -- test/derived -t 'random commits' --testTimeout 600000 --runInBand`,
  },
  {
    name: 'guides, followed to the letter',
    command: 'npm run --silent task -- guide',
    after: [houses, pack, tools],
    inputs:
      /^(docs\/tutorials\/|docs\/how-to\/react\.md|CONTRIBUTING\.md|scripts\/(follow-guide|pack|guide\/)|package)/,
  },
  {
    name: 'examples, copied, with the packed package',
    command: 'npm run --silent task -- examples:check',
    after: [pack],
    inputs: /^(examples\/|scripts\/(examples|pack)\.ts|package)/,
  },
  {
    name: 'examples in Chromium',
    command: 'npm run --silent task -- site:run',
    after: [tools, houses],
    inputs: /^(README\.md|docs\/|site\/|package|scripts\/project\/)/,
  },
  { name: 'examples in the documentation', command: 'npm run --silent docs:check', after: [houses] },
  { name: 'API report', command: 'npm run --silent task -- api:check', after: [houses] },
  { name: 'shape of the sources', command: 'npm run --silent shape -- --check', after: [houses] },
  { name: 'tests of the benchmarks', command: 'npm test --silent --prefix bench', after: [houses] },
  { name: 'React', command: 'npm run --silent test:react -- 19.3 --runInBand', after: [houses] },
  {
    name: 'bindings of other frameworks',
    command: 'npm run --silent task -- test:frameworks --runInBand',
    after: [houses],
  },
  {
    name: 'tests of site and scripts',
    command: ['site', 'scripts'].map((house) => `npm run --silent task -- test:${house} --runInBand`).join(' && '),
    after: [houses],
  },
  {
    name: 'schemas of custom resources, against a real API server',
    command: 'scripts/ci/cluster.sh schemas --objects 5',
    after: [houses],
    needsRig: true,
  },
  { name: 'simulated schedules', command: 'npm run --silent task -- simulate:bars seeds 20', after: [houses] },
  { name: 'random texts on the scanner', command: 'npm run --silent task -- scanners:compare --cases 30000' },
  {
    name: 'compiled scanner is that of its source',
    command: 'npm run --silent task -- build:wasm --check',
    after: [houses],
  },
  { name: "benchmark's published figures", command: 'npm run --silent bench -- --check', after: [houses] },
  { name: 'npm start', command: 'scripts/ci/readme.sh start' },
];
