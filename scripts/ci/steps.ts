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
   * True for a step that uses all processors, or whose result depends on time. No other step runs
   * beside it. Default: false.
   */
  readonly alone?: true;
  /** Minutes after which the step is ended and counts as failed. Default: 15. */
  readonly minutes?: number;
}

/**
 * Returns the checks in the order in which they start. As many steps run side by side as there are
 * processors. Long steps come early, so that shorter steps fill the processors beside them.
 *
 * @param isNightly if true, each of the three soaks lasts half an hour instead of two minutes, the
 *   comparison with real controllers ten minutes instead of 90 seconds, more random cases are
 *   tried, the frames and the memory of the dashboard and the speed of the site are measured, and
 *   further steps try simulated schedules, install the package from git and prove that soaks find
 *   planted bugs
 * @param hasRig if false, the steps that need a real API server are left out
 */
export function stepsOf({ isNightly, hasRig }: { isNightly: boolean; hasRig: boolean }): readonly Step[] {
  const soakMinutes = isNightly ? 30 : 2;
  const realControllers = 'npm run --silent task -- test:cluster own-server/real-controllers';
  // After a change, the comparison with real controllers takes the same steps each time. They are
  // too few to take each action and to show each planted fault, so that is judged at night. It has
  // a second attempt, as all cluster tests have: the controllers of a busy machine are never idle.
  const comparison = `CHURN_SECONDS=90 CHURN_SEED=29 ${realControllers} -t 'J1|J2|embedded|website|cookbook'`;
  const churn = isNightly
    ? `CHURN_SECONDS=600 ${realControllers}`
    : `${comparison} || { echo The second attempt: && ${comparison}; }`;
  const randomCommits = isNightly ? 100_000 : 30_000;
  const randomTexts = isNightly ? 1_000_000 : 300_000;
  return [
    { name: 'npm test', command: 'scripts/ci/readme.sh test', alone: true },
    // Runs alone, because other steps find packages in these folders, too.
    {
      name: 'packages of the houses',
      command:
        'node scripts/install.mjs site apps/dashboard bench scripts test/react test/react/react-18 test/react/react-19.2 test/frameworks examples',
      alone: true,
    },

    { name: 'Chromium, kubectl', command: 'scripts/ci/tools.sh' },
    { name: 'lint', command: 'npm run --silent lint', after: ['packages of the houses'] },
    {
      name: 'tests of the dashboard',
      command: 'npm test --silent --prefix apps/dashboard -- --maxWorkers 1',
      after: ['packages of the houses'],
    },
    // Compares every derived collection with a naive function, after each random commit.
    {
      name: 'random histories of derived collections',
      command: `RANDOM_COMMITS=${randomCommits} npm test --silent -- test/derived${isNightly ? ' test/history' : ''} -t 'random commits' --testTimeout 600000 --runInBand`,
      minutes: 25,
    },
    {
      name: 'random texts on the scanner',
      command: `npm run --silent task -- scanners:compare --cases ${randomTexts}`,
    },
    { name: 'site', command: 'npx tsx site/scripts/site.ts', after: ['packages of the houses'] },
    // Builds the package, too.
    { name: 'npm pack', command: 'npm pack --silent --pack-destination "$(mktemp -d)"' },
    { name: 'types', command: 'npm run --silent typecheck', after: ['packages of the houses'] },
    { name: 'packed package on every Node', command: 'npm run --silent task -- smoke', after: ['npm pack'] },
    {
      name: 'tests of the benchmarks',
      command: 'npm test --silent --prefix bench',
      after: ['packages of the houses'],
    },
    {
      name: 'examples, copied, with the packed package',
      command: 'npm run --silent task -- examples:check',
      after: ['npm pack'],
    },
    {
      name: 'examples in the documentation',
      command: 'npm run --silent docs:check',
      after: ['packages of the houses'],
    },
    { name: 'API report', command: 'npm run --silent task -- api:check', after: ['packages of the houses'] },
    {
      name: 'examples in Chromium',
      command: 'npm run --silent task -- site:run',
      after: ['Chromium, kubectl', 'packages of the houses'],
    },
    {
      name: 'guides, followed to the letter',
      command: 'npm run --silent task -- guide',
      after: ['packages of the houses', 'npm pack', 'Chromium, kubectl'],
    },
    { name: 'JSR, dry run', command: 'npm run --silent task -- jsr --dry-run' },
    {
      name: 'package',
      command: 'npm run --silent task -- package:check',
      after: ['packages of the houses', 'npm pack'],
    },
    { name: 'type tests', command: 'npm run --silent test:types' },
    { name: 'shape of the sources', command: 'npm run --silent shape -- --check', after: ['packages of the houses'] },
    {
      name: 'compiled scanner is that of its source',
      command: 'npm run --silent task -- build:wasm --check',
      after: ['packages of the houses'],
    },
    {
      name: "benchmark's published figures",
      command: 'npm run --silent bench -- --check',
      after: ['packages of the houses'],
    },
    ...['18', '19.2', '19.3'].map((version) => ({
      name: `React ${version}`,
      command: `npm run --silent test:react -- ${version} --runInBand`,
      after: ['packages of the houses'],
    })),
    {
      name: 'bindings of other frameworks',
      command: 'npm run --silent task -- test:frameworks --runInBand',
      after: ['packages of the houses'],
    },
    {
      name: 'tests of the examples',
      command: 'npm run --silent task -- test:examples --runInBand',
      after: ['packages of the houses'],
    },
    {
      name: 'tests of the site',
      command: 'npm run --silent task -- test:site --runInBand',
      after: ['packages of the houses'],
    },
    {
      name: 'tests of the scripts',
      command: 'npm run --silent task -- test:scripts --runInBand',
      after: ['packages of the houses'],
    },
    { name: 'npm start', command: 'scripts/ci/readme.sh start' },
    ...(hasRig
      ? [
          {
            name: 'schemas of custom resources, against a real API server',
            command: `npm run --silent task -- schema:compare --objects ${isNightly ? 1000 : 50}`,
            minutes: isNightly ? 90 : 15,
          },
        ]
      : []),

    {
      name: 'dashboard in Chromium',
      // At night also the files that measure frames and watch the memory for minutes. They need a
      // machine of their own. The others run two at a time.
      command: `scripts/ci/readme.sh dashboard && npm run --silent test:browser --prefix apps/dashboard${isNightly ? '' : ' -- --maxWorkers 2 --testPathIgnorePatterns frames starvation endurance'}`,
      after: ['Chromium, kubectl', 'packages of the houses'],
      alone: true,
      // At night the step takes about 10 minutes on a machine that does nothing else.
      minutes: 25,
    },
    {
      name: 'site in Chromium',
      // At night also the time that a page and the playground take.
      command: `npx tsx site/scripts/check.ts${isNightly ? ' --timed' : ''}`,
      after: ['site', 'Chromium, kubectl'],
      alone: true,
    },
    {
      name: 'benchmark, quick',
      // At night every scenario. After a change, those that together run each kind of contestant.
      command: `npm run --silent bench -- --quick${isNightly ? '' : ' --only first-sync-stream,modified-events,derived-operators,queue-throughput,embedded-api-server'}`,
      after: ['packages of the houses'],
      alone: true,
    },
    ...(hasRig
      ? [
          {
            name: 'cluster tests and soaks',
            command: `scripts/ci/cluster.sh ${soakMinutes}`,
            after: ['npm pack', 'Chromium, kubectl', 'packages of the houses'],
            alone: true as const,
            minutes: 25 + 3 * soakMinutes,
          },
          {
            name: 'comparison with real controllers',
            command: `../shared/rig/install.sh && export RIG=$(realpath ../shared/rig) && { ${churn}; }`,
            after: ['packages of the houses', 'Chromium, kubectl'],
            alone: true as const,
            minutes: isNightly ? 30 : 15,
          },
        ]
      : []),
    {
      name: 'simulated schedules',
      // At night also the 24 corrected twins of planted bugs, in 100,000 schedules.
      command: `npm run --silent task -- simulate:bars seeds${isNightly ? ' 1000 && npm run --silent task -- simulate:bars twins 4200' : ''}`,
      after: ['packages of the houses'],
      ...(isNightly && { minutes: 240 }),
    },
    ...(isNightly ? [{ name: 'installation from git', command: 'npm run --silent task -- git-install' }] : []),
    ...(hasRig && isNightly
      ? [
          {
            name: 'planted bugs',
            command: 'npm run --silent task -- soak --planted --minutes 5 --rig ../shared/rig',
            after: ['cluster tests and soaks'],
            alone: true as const,
            minutes: 90,
          },
        ]
      : []),
  ];
}
