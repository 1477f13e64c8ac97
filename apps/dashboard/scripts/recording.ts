import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { startDashboardStage } from './stage.js';

/*
 * Records twenty seconds of the dashboard for the README, docs/dashboard/recording.webp. It shows
 * pods that come and go, a rollout, a filter, a failing pod, and the way back in time. The script
 * encodes with `sharp`, which no other file of the project needs:
 *
 *   npm install --no-save sharp --prefix apps/dashboard
 */
const file = fileURLToPath(new URL('../../../docs/dashboard/recording.webp', import.meta.url));
const size = { width: 1200, height: 750 };
const framesPerSecond = 7;
const maxBytes = 3_000_000;

/** The part of `sharp` that this script uses. */
type Sharp = (
  images: readonly Buffer[],
  options: { readonly join: { readonly animated: true }; readonly limitInputPixels: false },
) => {
  webp(options: {
    readonly quality: number;
    readonly effort: number;
    readonly delay: readonly number[];
    readonly loop: number;
  }): { toFile(path: string): Promise<unknown> };
};

const sharp = await encoder();
const { server, browser, close } = await startDashboardStage();
const page = await browser.newPage({ viewport: size, colorScheme: 'dark' });
await page.goto(server.pageUrl);
const rows = page.getByRole('grid', { name: 'Pods' }).getByRole('row');
const payments = page.getByRole('region', { name: 'Namespace' }).getByRole('button', { name: /^payments/ });
await rows.nth(3).waitFor();
await showPointer(page);
// Waits until there is a past to go back to.
await page.waitForTimeout(20_000);

const frames: Buffer[] = [];
await record(3);
await click(page.getByRole('link', { name: 'Workloads' }));
await record(4.5);
await click(page.getByRole('link', { name: 'Pods', exact: true }));
await record(0.6);
await click(payments);
await record(2);
await click(rows.nth(1).getByRole('gridcell').first());
await record(3.5);
await page.keyboard.press('Escape');
await click(payments);
await record(0.6);
await goBack();
await record(0.8);
await click(page.getByRole('button', { name: 'Back to live' }));
await record(1.5);

await close();
await encode();

/**
 * Takes frames for this many seconds of the recording. On a slow machine a frame takes longer, so
 * the cluster looks livelier in the recording. Nothing else changes.
 */
async function record(seconds: number): Promise<void> {
  for (let frame = 0; frame < seconds * framesPerSecond; frame += 1) {
    const next = page.waitForTimeout(1000 / framesPerSecond);
    frames.push(await page.screenshot());
    await next;
  }
}

async function click(target: Locator): Promise<void> {
  const { x, y, width, height } = await boxOf(target);
  const steps = 4;
  const to = { x: x + Math.min(width / 2, 60), y: y + height / 2 };
  const from = await pointerPlace();
  for (let step = 1; step <= steps; step += 1) {
    const part = step / steps;
    await page.mouse.move(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part);
    frames.push(await page.screenshot());
  }
  await page.mouse.down();
  await page.mouse.up();
}

async function boxOf(target: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await target.boundingBox();
  if (box === null) throw new Error(`${String(target)} is not on the page`);
  return box;
}

/** Drags the slider of the time to the left, slowly. */
async function goBack(): Promise<void> {
  const { x, y, width, height } = await boxOf(page.getByRole('slider', { name: 'Time shown' }));
  const middle = y + height / 2;
  await page.mouse.move(x + width - 4, middle);
  await page.mouse.down();
  const steps = 3 * framesPerSecond;
  for (let step = 1; step <= steps; step += 1) {
    await page.mouse.move(x + width - 4 - (width / 12) * (step / steps), middle);
    frames.push(await page.screenshot());
  }
  await page.mouse.up();
}

/** Draws a pointer on the page, because a headless browser draws none. */
async function showPointer(within: Page): Promise<void> {
  await within.evaluate(() => {
    const pointer = document.createElement('div');
    pointer.id = 'pointer';
    pointer.setAttribute('aria-hidden', 'true');
    Object.assign(pointer.style, {
      position: 'fixed',
      zIndex: '1000',
      width: '18px',
      height: '18px',
      margin: '-9px',
      borderRadius: '50%',
      background: 'rgb(255 255 255 / 35%)',
      border: '2px solid rgb(255 255 255 / 85%)',
      pointerEvents: 'none',
      left: '600px',
      top: '420px',
    });
    document.body.append(pointer);
    addEventListener('pointermove', ({ clientX, clientY }) => {
      pointer.style.left = `${clientX}px`;
      pointer.style.top = `${clientY}px`;
    });
  });
}

function pointerPlace(): Promise<{ readonly x: number; readonly y: number }> {
  return page.evaluate(() => {
    const { left, top } = (document.getElementById('pointer') as HTMLElement).style;
    return { x: parseFloat(left), y: parseFloat(top) };
  });
}

/** Writes the file. Lowers the quality until the file is small enough. */
async function encode(): Promise<void> {
  const delay = frames.map(() => Math.round(1000 / framesPerSecond));
  for (const quality of [80, 65, 50, 35]) {
    await sharp(frames, { join: { animated: true }, limitInputPixels: false })
      .webp({ quality, effort: 4, delay, loop: 0 })
      .toFile(file);
    const bytes = statSync(file).size;
    const seconds = frames.length / framesPerSecond;
    console.log(`docs/dashboard/recording.webp: ${seconds.toFixed(1)} s, quality ${quality}, ${bytes} bytes`);
    if (bytes <= maxBytes) return;
  }
  throw new Error(`the recording has more than ${maxBytes} bytes`);
}

async function encoder(): Promise<Sharp> {
  // The name is not a literal, because the compiler would look for `sharp`: it is not a dependency.
  const name = ['sharp'].join('');
  try {
    return ((await import(name)) as { readonly default: Sharp }).default;
  } catch {
    throw new Error('sharp is needed to encode the recording: npm install --no-save sharp --prefix apps/dashboard');
  }
}
