import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Debian's; `$CHROMIUM` names another one. */
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** A browser without a window. */
export function launchChromium(): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error(`there is no ${executablePath}: install Debian's chromium, or say in $CHROMIUM where one is`);
  }
  return chromium.launch({
    executablePath,
    // The sandbox refuses root, and containers are often run by it.
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}
