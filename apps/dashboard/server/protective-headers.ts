/**
 * The page may load its own files and connect to its own server. Everything else is forbidden, and
 * no other page may frame this page. Scripts and style sheets are files, so no inline code is
 * allowed. Styles that React sets on elements do not count as inline styles.
 */
const policy = [
  "default-src 'none'",
  // Permits WebAssembly, which scans the events of a watch. No other code is created from text.
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
];

/**
 * The policy for a `<meta>` element of the page, for servers that send none. A `<meta>` cannot
 * restrict who may frame the page.
 */
export const metaPolicy = policy.join('; ');

const pagePolicy = [...policy, "frame-ancestors 'none'"].join('; ');

/**
 * Headers for every answer, without the policy. Answers of the API need them too, because an answer
 * could be opened in a tab, or requested by another page.
 */
const onEveryAnswer = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Headers for the files of the page. */
export const pageHeaders = { ...onEveryAnswer, 'content-security-policy': pagePolicy } as const;

/**
 * Headers for data. A browser must never treat data as a page, regardless of the content of an
 * object or a log.
 */
export const dataHeaders = {
  ...onEveryAnswer,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const;

/**
 * Returns the headers for a page of one form, without scripts. The form may be sent to this server
 * only. The referrer policy makes the browser send `Origin` with the form; with `no-referrer`, it
 * would send `null`.
 *
 * @param style the hash of the style sheet in the page
 */
export function formHeaders(style: string): Readonly<Record<string, string>> {
  const rules = ["default-src 'none'", `style-src '${style}'`, "form-action 'self'"];
  return {
    ...onEveryAnswer,
    'referrer-policy': 'same-origin',
    'content-security-policy': [...rules, "base-uri 'none'", "frame-ancestors 'none'"].join('; '),
  };
}
