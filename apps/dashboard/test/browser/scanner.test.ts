import { useChromium } from './support/chromium.js';
import { pageScript } from './support/page-script.js';

/** The page's program: a text, read by the scanner that the page may use. */
const program = `
  import { chooseScanner, createTextScanner } from '../../src/sources/wire/choose-scanner.ts';

  const item = new TextEncoder().encode('{"metadata":{"name":"a"},"spec":{"a":1}}');
  chooseScanner('fastest').then(() => {
    const text = createTextScanner({ omitManagedFields: true }).scan('item', item);
    document.title = JSON.stringify([text.parse(), text.digest(true) !== undefined]);
  });
`;

describe('the scanner of lists and watches in Chromium', () => {
  const openProfile = useChromium();
  let bundle: string;

  beforeAll(async () => {
    bundle = await pageScript(program);
  });

  it.each([
    ['is the WebAssembly one without a content security policy', undefined, true],
    ['is the WebAssembly one if wasm-unsafe-eval is allowed', "script-src 'self' 'wasm-unsafe-eval'", true],
    ['parses texts whole if wasm-unsafe-eval is not allowed', "script-src 'self'", false],
  ])('%s', async (_, policy, hasDigest) => {
    const page = await (await openProfile()).newPage();
    await page.route('http://scanner.test/**', (route) =>
      route.request().url().endsWith('.js')
        ? route.fulfill({ contentType: 'text/javascript', body: bundle })
        : route.fulfill({
            contentType: 'text/html',
            headers: policy === undefined ? {} : { 'content-security-policy': policy },
            body: '<script src="/page.js"></script>',
          }),
    );
    await page.goto('http://scanner.test/');

    await page.waitForFunction(() => document.title !== '');
    expect(JSON.parse(await page.title())).toEqual([{ metadata: { name: 'a' }, spec: { a: 1 } }, hasDigest]);
  });
});
