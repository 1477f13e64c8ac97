import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from 'playwright-core';

/** The path of Chromium: `$CHROMIUM`, or the path of Debian's package. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** The sandbox does not start as root, and programs in containers often run as root. */
const rootFlags = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

/** Starts a headless browser. */
export function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error(`there is no ${executablePath}: install Debian's chromium, or set $CHROMIUM to the path of one`);
  }
  return chromium.launch({
    executablePath,
    args: [...rootFlags, ...flags],
  });
}

/** Starts a browser with a profile in a folder, as on a machine of a user. */
export function openPersistent(folder: string): Promise<BrowserContext> {
  return chromium.launchPersistentContext(folder, { executablePath, args: rootFlags });
}

/** Opens a profile that has never loaded a page. The profile is closed at the end of the test. */
export type OpenProfile = (options?: BrowserContextOptions) => Promise<BrowserContext>;

/**
 * Starts one browser for the tests of a file. The tests share nothing but the process of the
 * browser. If it has crashed, the next test starts another browser.
 */
export function useChromium(flags?: readonly string[]): OpenProfile {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];

  beforeEach(async () => {
    if (browser?.isConnected() !== true) browser = await launchChromium(flags);
  });
  afterEach(async () => {
    await Promise.allSettled(contexts.splice(0).map((context) => context.close()));
  });
  afterAll(() => browser?.close());

  return async (options) => {
    if (browser === undefined) throw new Error('a profile is opened within a test');
    const context = await browser.newContext(options);
    contexts.push(context);
    // The timeout is long, because a test on a busy machine is slow. A test fails only if its
    // condition is never true.
    context.setDefaultTimeout(60_000);
    return context;
  };
}
