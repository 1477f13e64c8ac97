import { installHouses, installTools, packPackage, type Step } from './steps.js';

const houses = installHouses(
  ...['scripts', 'site', 'apps/dashboard', 'bench', 'test/react', 'test/frameworks', 'examples'],
  ...['test/react/react-18', 'test/react/react-19.2'],
);

/** Returns a step that has the machine for itself, because it uses all of it or measures time. */
const alone = (name: string, command: string, minutes: number): Step => ({
  name,
  command,
  minutes,
  after: [houses.name, installTools.name, packPackage.name],
  processors: Infinity,
});
const beside = (name: string, command: string, minutes: number): Step => ({
  ...alone(name, command, minutes),
  processors: 1,
});
const withRig = (step: Step): Step => ({ ...step, needsRig: true });
const soak = (name: string, options: string, minutes: number): Step =>
  withRig(beside(name, `scripts/ci/cluster.sh soak ${options}`, minutes));

/** Each part takes at most 80 minutes on two processors. */
const stepsOfPart: Readonly<Record<string, readonly Step[]>> = {
  // Ten times as many random cases, and corrected bugs in many schedules.
  1: [
    alone('npm test', 'RUNS=10 npm test -- --testTimeout 600000', 40),
    beside(
      'random commits of derived collections and of the history',
      `RUNS=500 npm test --silent -- test/derived test/history -t 'random commits' --testTimeout 3600000 --runInBand`,
      60,
    ),
    beside('tests of the dashboard', 'RUNS=10 npm test --silent --prefix apps/dashboard -- --maxWorkers 1', 30),
    beside('tests of the examples', 'RUNS=10 npm run --silent task -- test:examples --maxWorkers 1', 30),
    beside('random texts on the scanner', 'npm run --silent task -- scanners:compare --cases 1000000', 30),
    beside('simulated schedules', 'npm run --silent task -- simulate:bars seeds 1000', 30),
    beside('corrected twins of planted bugs', 'npm run --silent task -- simulate:bars twins 200', 60),
  ],
  // Pages in a browser, with what depends on the machine: frames, memory, scores and times. All
  // versions, and the way of a release.
  2: [
    alone('dashboard in Chromium', 'npm run --silent test:browser --prefix apps/dashboard', 60),
    alone('site in Chromium', 'npx tsx site/scripts/site.ts && npx tsx site/scripts/check.ts --chromium', 20),
    alone('benchmark, quick', 'npm run --silent bench -- --quick', 30),
    beside('examples in Chromium', 'npm run --silent task -- site:run', 15),
    beside('guides, followed to the letter', 'npm run --silent task -- guide', 15),
    beside('packed package on every Node', 'npm run --silent task -- smoke', 15),
    ...['18', '19.2'].map((version) =>
      beside(`React ${version}`, `npm run --silent test:react -- ${version} --runInBand`, 15),
    ),
    beside('installation from git', 'npm run --silent task -- git-install', 15),
    beside('examples, copied, with the packed package', 'npm run --silent task -- examples:check', 15),
  ],
  // Real API servers, under faults and beside real controllers.
  3: [
    soak('soak over HTTP/1.1', '--minutes 10', 25),
    soak('soak over HTTP/2', '--minutes 10 --http2', 25),
    soak('soak without WebAssembly', '--minutes 10 --scanner none', 25),
    soak('soak of Kubernetes 1.20 over HTTP/2', '--minutes 10 --kind kube120 --http2', 25),
    withRig(alone('cluster tests', 'scripts/ci/cluster.sh tests --nightly', 30)),
    withRig(alone('comparison with real controllers', 'CHURN_SECONDS=600 scripts/ci/cluster.sh controllers', 30)),
  ],
  // The soak finds its planted bugs; the embedded server answers as a real one for random objects.
  4: [
    soak('planted bugs', '--planted --minutes 2', 60),
    withRig(beside('schemas of custom resources', 'scripts/ci/cluster.sh schemas --objects 1000', 75)),
  ],
};

/** The numbers of the parts. */
export const parts = Object.keys(stepsOfPart);

/**
 * Returns the checks of the night: everything that takes longer, or depends more on the machine,
 * than a check after each change may. Random tests have new seeds and more cases.
 *
 * @param part number of the part to run; if undefined, all parts run, one after another
 * @throws Error if there is no such part
 */
export function nightlySteps(part?: string): readonly Step[] {
  if (part !== undefined && !parts.includes(part))
    throw new Error(`there is no part ${part} of the night; the parts are ${parts.join(', ')}`);
  const steps = part === undefined ? Object.values(stepsOfPart).flat() : (stepsOfPart[part] ?? []);
  return [installTools, houses, packPackage, ...steps];
}
