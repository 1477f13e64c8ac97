/** A word or phrase that prose must not contain, and what to write instead. */
export interface Rule {
  readonly pattern: RegExp;
  readonly instead: string;
  /** The kind of text to which the rule applies; default: every kind. */
  readonly only?: 'comments' | 'pages';
}

const words = (alternatives: string): RegExp => new RegExp(String.raw`(?<![\w.@/-])(?:${alternatives})(?![\w-])`, 'gi');

/**
 * The words that a reader has to read twice. The rules do not apply to code: text between
 * backticks, in an example or in a block of code.
 */
export const dialect: readonly Rule[] = [
  { pattern: words('who(?:so)?ever'), instead: 'the subscriber, the caller, or what it is' },
  { pattern: words('nobody|no one'), instead: 'no subscriber, no caller, nothing' },
  { pattern: words('somebody|someone'), instead: 'a subscriber, another client, or what it is' },
  { pattern: words('everybody|everyone'), instead: 'every subscriber, all clients' },
  { pattern: words('whatever|whichever'), instead: 'any, regardless of' },
  { pattern: words('he|him|his|himself|she|her|hers|herself'), instead: 'it, you, the caller' },
  { pattern: words(String.raw`(?:is|are|was|were|be|been|being)\s+(?:\w+\s+)?told`), instead: 'is notified, receives' },
  { pattern: words(String.raw`hear(?:s|d)?\s+(?:of|about|it)`), instead: 'is notified of, receives' },
  { pattern: words(String.raw`the\s+world`), instead: 'subscribers, other clients' },
  { pattern: words('anew'), instead: 'again' },
  { pattern: words(String.raw`ma(?:ke|kes|de|king)\s+void`), instead: 'invalidates' },
  {
    pattern: words(String.raw`gives(?!\s+(?:it\s+|them\s+|both\s+)?(?:up|back|way|in|the\s+(?:event\s+loop|lease)))`),
    instead: 'returns, emits, provides',
  },
  { pattern: words('newcomers?'), instead: 'a new subscriber' },
  { pattern: words('spell(?:s|ed|ing)?'), instead: 'writes, written' },
  { pattern: words(String.raw`ha(?:s|ve)\s+(?:no\s+)?room`), instead: 'fits, is not full' },
  { pattern: words(String.raw`wish(?:es|ed)?`), instead: 'request, requests' },
  { pattern: words(String.raw`it\s+is\s+said`), instead: 'name what states it' },
  { pattern: words(String.raw`(?:is|are)\s+in\s+vain`), instead: 'fails, has no effect' },
  { pattern: words(String.raw`in\s+vain`), instead: 'without effect' },
  { pattern: words(String.raw`ask(?:s|ed)?\s+of`), instead: 'requires' },
  { pattern: words(String.raw`as\s+often\s+as\s+(?:it|they)\s+may`), instead: 'retries exhausted' },
  { pattern: words(String.raw`(?:the\s+)?time\s+is\s+over`), instead: 'the timeout expires' },
  { pattern: words('thereof|therein|hereby|thereby|wherein|whereupon|hence|thus|lest'), instead: 'a second sentence' },
  { pattern: words('upon'), instead: 'on, when' },
];
