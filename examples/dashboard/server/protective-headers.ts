/**
 * What the page may do: load its own files and talk to its own server, nothing else, and be in nobody's frame. Scripts
 * and style sheets are files; styles that React sets on elements are no inline styles to a browser.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** On every answer, but for the policy: an answer of the API, too, could be opened in a tab or asked for by another page. */
const onEveryAnswer = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** On the files of the page. */
export const pageHeaders = { ...onEveryAnswer, 'content-security-policy': pagePolicy } as const;

/** On data, which is no page, whatever somebody wrote into an object or a log. */
export const dataHeaders = {
  ...onEveryAnswer,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const;
