import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import lighthouse from 'lighthouse';
import desktop from 'lighthouse/core/config/desktop-config.js';
import { chromium, type Browser, type Page } from 'playwright-core';

const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const debuggingPort = 9523;

/** The minimum score, out of 100, in each category of Lighthouse. */
const leastScore = 95;
/**
 * The maximum of what Lighthouse measures in bytes and in layout shift. The shift depends a little
 * on which file arrives first; up to 0.1 is what browsers call good.
 */
const limits: Readonly<Record<string, number>> = { 'total-byte-weight': 300_000, 'cumulative-layout-shift': 0.1 };
/**
 * The maximum number of runs for a page whose score is too low. The best run counts, because other
 * work on the machine can only make a page slower.
 */
const runsOfLighthouse = 5;

/** Starts a Chromium that both Playwright and Lighthouse control. */
export function launchChromium(): Promise<Browser> {
  if (!existsSync(executablePath))
    throw new Error(`there is no ${executablePath}: install Debian's chromium, or set $CHROMIUM to the path of one`);
  return chromium.launch({
    executablePath,
    args: [`--remote-debugging-port=${debuggingPort}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}

/**
 * Opens a page in both themes, wide and narrow. Returns the problems that axe, the console and the
 * network report.
 */
export async function problemsInBrowser(browser: Browser, url: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const context = await browser.newContext({ colorScheme, viewport, reducedMotion: 'reduce' });
      const page = await context.newPage();
      const where = `${url} (${colorScheme}, ${viewport.width} px)`;
      page.on('pageerror', ({ message }) => problems.push(`${where}: ${message}`));
      page.on('console', (line) => {
        if (['error', 'warning'].includes(line.type())) problems.push(`${where}: ${line.text()}`);
      });
      page.on('request', (request) => {
        if (new URL(request.url()).host !== new URL(url).host && !/^(data|blob):/.test(request.url()))
          problems.push(`${where}: requests ${request.url()}`);
      });
      await page.goto(url, { waitUntil: 'networkidle' });
      // A script of the page sets the title of the theme switch, so wait for it.
      await page.waitForSelector('.VPSwitchAppearance:not([title=""])', { state: 'attached' });
      // axe sees nothing of what the browser has not laid out.
      await page.addStyleTag({ content: '* { content-visibility: visible !important }' });
      problems.push(...(await violationsOf(page)).map((violation) => `${where}: ${violation}`));
      if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth))
        problems.push(`${where}: is wider than the window`);
      await context.close();
    }
  }
  return problems;
}

interface Axe {
  run(): Promise<{
    readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
  }>;
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { readonly axe: Axe }).axe.run();
    return violations.map(({ id, nodes }) => `${id} at ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
  });
}

/**
 * Returns the scores of a page, and a problem for each score that is too low.
 *
 * @param device the configuration of Lighthouse: `desktop` is its preset for a desktop, `phone` its
 *   default, which is measured once
 */
export async function scores(url: string, device: 'desktop' | 'phone' = 'desktop'): Promise<Omit<Scores, 'least'>> {
  let best: Scores | undefined;
  let run = 0;
  do {
    run += 1;
    const measured = await measure(url, device);
    if (best === undefined || measured.least > best.least) best = measured;
  } while (device === 'desktop' && best.least < leastScore && run < runsOfLighthouse);
  return { line: `${best.line} (${device}, best of ${run})`, problems: best.problems };
}

interface Scores {
  readonly least: number;
  readonly line: string;
  readonly problems: readonly string[];
}

async function measure(url: string, device: 'desktop' | 'phone'): Promise<Scores> {
  const flags = { port: debuggingPort, logLevel: 'error', output: 'json' } as const;
  const result = await lighthouse(url, flags, device === 'desktop' ? desktop : undefined);
  if (result === undefined) throw new Error(`Lighthouse did not measure ${url}`);
  const { categories, audits } = result.lhr;
  const measured = Object.values(categories)
    .filter(({ score }) => score !== null)
    .map(({ id, score, auditRefs }) => ({ id, score: Math.round((score ?? 0) * 100), auditRefs }));
  const low = measured.filter(({ score }) => score < leastScore);
  const problems = low.map(({ id, score, auditRefs }) => {
    const poor = auditRefs.map((reference) => audits[reference.id]).filter((audit) => (audit?.score ?? 1) < 0.9);
    return `${url}: ${id} ${score}, because of ${poor.map((audit) => `${audit?.id} ${audit?.displayValue ?? ''}`).join(', ')}`;
  });
  const large = Object.entries(limits)
    .map(([id, limit]) => ({ id, limit, value: audits[id]?.numericValue }))
    .filter(({ limit, value }) => value === undefined || value > limit)
    .map(({ id, limit, value }) => `${url}: ${id} is ${value}, more than ${limit}`);
  return {
    least: Math.min(...measured.map(({ score }) => score)),
    line: `${url}: ${measured.map(({ id, score }) => `${id} ${score}`).join(', ')}`,
    problems: [...problems, ...large],
  };
}
