import type { Page } from 'playwright-core';
import { useChromium } from './support/chromium.js';
import { pageScript } from './support/page-script.js';
import type { StarvationPage } from './support/starvation-page.js';

const rates = [20, 60, 500];
const rounds = 3;

/** Longer than a transition that starves: React renders it without a break after five seconds. */
const patience = 6000;

/**
 * The longest time that a change may take: half of what a starving change takes, or on a busy
 * machine a few times as long as without other changes.
 */
function longest({ atRest }: Measured): number {
  return Math.max(2500, 4 * median(atRest));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

describe('concurrent rendering of React in Chromium, production build, while a collection changes', () => {
  const openProfile = useChromium();
  let bundle: string;

  beforeAll(async () => {
    bundle = await pageScript(program, { isProduction: true });
  });

  async function measured(scene: 'transition' | 'deferred', isProvided: boolean): Promise<readonly Measured[]> {
    const page = await (await openProfile()).newPage();
    await page.setContent('<!doctype html><body></body>');
    await page.addScriptTag({ content: bundle });
    const results: Measured[] = [];
    for (const rate of rates) results.push(await atRate(page, { scene, isProvided, rate }));
    process.stdout.write(`${scene}, ${isProvided ? 'in a provider' : 'without a provider'}:\n${tableOf(results)}\n`);
    return results;
  }

  it.each([
    ['a transition of 133 ms', 'transition'],
    ['a deferred value that takes 85 ms to render', 'deferred'],
  ] as const)(
    '%s takes about as long at any rate of changes as without changes, inside a provider',
    async (_, scene) => {
      // The comparison without the provider takes two minutes, because every change starves.
      if (process.env['WITHOUT_PROVIDER']) await measured(scene, false);
      const results = await measured(scene, true);
      expect(results.filter((result) => !(median(result.milliseconds) <= longest(result)))).toEqual([]);
    },
  );
});

interface Measured {
  readonly rate: number;
  /** The time that each change took until it was on the page. */
  readonly milliseconds: readonly number[];
  /** The same without other changes, measured right after it. */
  readonly atRest: readonly number[];
  /** The number of renders of the live part. */
  readonly rendersPerSecond: number;
}

interface Scene {
  readonly scene: 'transition' | 'deferred';
  readonly isProvided: boolean;
  readonly rate: number;
}

/** The page's program. */
const program = `
  import { starvation } from './test/browser/support/starvation-page.tsx';
  Object.assign(globalThis, { starvation });
`;

declare const starvation: StarvationPage;

async function atRate(page: Page, scene: Scene): Promise<Measured> {
  return page.evaluate(
    async ([{ scene, isProvided, rate }, rounds, patience]) => {
      starvation.show(scene, isProvided);
      starvation.churn(rate);
      const pause = (milliseconds: number): Promise<unknown> =>
        new Promise((resume) => setTimeout(resume, milliseconds));
      await pause(500);
      starvation.rendered();
      await pause(1000);
      const rendersPerSecond = starvation.rendered();
      const measure = async (): Promise<readonly number[]> => {
        const milliseconds: number[] = [];
        for (let round = 0; round < rounds; round++) {
          milliseconds.push(await starvation.measure(patience));
          await pause(100);
        }
        return milliseconds;
      };
      const milliseconds = await measure();
      starvation.churn(0);
      return { rate, milliseconds, atRest: await measure(), rendersPerSecond };
    },
    [scene, rounds, patience] as const,
  );
}

function tableOf(results: readonly Measured[]): string {
  return results
    .map(({ rate, milliseconds, atRest, rendersPerSecond }) => {
      const texts = [milliseconds, atRest].map((all) => all.map((each) => `${Math.round(each)} ms`).join(', '));
      return `  ${rate} updates/s: ${texts[0]}; then at rest: ${texts[1]}; ${rendersPerSecond} renders/s of what is live`;
    })
    .join('\n');
}
