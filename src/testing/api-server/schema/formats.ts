/** Returns whether a text has a format, as the real server checks the formats of strings. */
export type FormatCheck = (text: string) => boolean;

/** Returns the check of a format; `undefined` if the real server does not check this format. */
export function formatCheck(format: string): FormatCheck | undefined {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(formats, name) ? formats[name] : undefined;
}

const uuid = (third: string, fourth: string): FormatCheck =>
  matching(new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${third}-?${fourth}-?[0-9a-f]{12}$`, 'i'));

const any = '[0-9a-f]{4}';
const octet = /^(\d{1,3})$/;

const formats: Readonly<Record<string, FormatCheck>> = {
  bsonobjectid: matching(/^[0-9a-f]{24}$/i),
  uri: isUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => isIPv4(text) || (text.includes('.') && isIPv6(text)),
  ipv6: isIPv6,
  cidr: isCidr,
  mac: matching(
    /^(?:[0-9a-f]{2}([:-])(?:[0-9a-f]{2}\1){4}(?:(?:[0-9a-f]{2}\1){2}(?:(?:[0-9a-f]{2}\1){12})?)?[0-9a-f]{2}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2}(?:\.[0-9a-f]{4}(?:(?:\.[0-9a-f]{4}){6})?)?)$/i,
  ),
  uuid: uuid(any, any),
  uuid3: uuid('3[0-9a-f]{3}', any),
  uuid4: uuid('4[0-9a-f]{3}', '[89ab][0-9a-f]{3}'),
  uuid5: uuid('5[0-9a-f]{3}', '[89ab][0-9a-f]{3}'),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: matching(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  hexcolor: matching(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matching(
    /^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/,
  ),
  byte: matching(/^(?:[A-Za-z0-9+\\/]{4})*(?:[A-Za-z0-9+\\/]{2}==|[A-Za-z0-9+\\/]{3}=|[A-Za-z0-9+\\/]{4})$/),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  k8slongname: (text) =>
    text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
};

function matching(expression: RegExp): FormatCheck {
  return (text) => expression.test(text);
}

/** Go's `url.ParseRequestURI`: absolute, or a path that begins with a slash. */
function isUri(text: string): boolean {
  if (/[^\P{Cc}\u0080-\u009f]/u.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false;
  if (text.startsWith('/') || text === '*') return true;
  const [, rest, host] = /^[a-zA-Z][a-zA-Z0-9+.-]*:((?:\/\/([^/?]*))?.*)$/.exec(text) ?? [];
  if (rest === undefined) return false;
  if (host === undefined) return true;
  return /^(?:[\w.~!$&'()*+,;=:%-]*@)?(?:\[[0-9a-fA-F:.%\w]+\]|[^\s<>"^`{|}\\[\]:@]*)(?::\d*)?$/.test(host);
}

/** Go's `mail.ParseAddress`: an address, or a name with an address in angle brackets. */
function isEmail(text: string): boolean {
  const word = "[\\w!#$%&'*+/=?^`{|}~\\u0080-\\uffff-]+";
  const quotedWord = '"(?:[^"\\\\\\r\\n]|\\\\.)*"';
  const address = `(?:${word}(?:\\.${word})*|${quotedWord})@(?:${word}(?:\\.${word})*|\\[[^\\]]*\\])`;
  const name = `(?:[\\w!#$%&'*+/=?^\`{|}~. \\t\\u0080-\\uffff-]|${quotedWord})*`;
  return new RegExp(`^[ \\t]*(?:${address}|${name}<${address}>)[ \\t]*$`).test(text);
}

const hostname =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$/u;

function isHostname(text: string): boolean {
  const length = (part: string): number => new TextEncoder().encode(part).length;
  return hostname.test(text) && length(text) <= 255 && text.split('.').every((part) => length(part) <= 63);
}

/** Zeros at the beginning of a number are allowed, as in `ParseIPSloppy`. */
function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => octet.test(part.replace(/^0+(?=\d)/, '')) && Number(part) <= 255);
}

function isIPv6(text: string): boolean {
  const [, before = text, ipv4] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? [];
  if (ipv4 !== undefined && !isIPv4(ipv4)) return false;
  const whole = ipv4 === undefined ? text : `${before}0:0`;
  const halves = whole.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false;
  return halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length < 8;
}

function isCidr(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/]*)\/(\d{1,3})$/.exec(text) ?? [];
  return isIPv4(address) ? Number(bits) <= 32 : isIPv6(address) && Number(bits) <= 128;
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  return weighted(digits, (index) => index + 1) % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  return /^[0-9]{13}$/.test(digits) && weighted(digits, (index) => (index % 2 === 0 ? 1 : 3)) % 10 === 0;
}

function weighted(digits: string, weight: (index: number) => number): number {
  return Array.from(digits, (digit, index) => weight(index) * (digit === 'X' ? 10 : Number(digit))).reduce(
    (sum, each) => sum + each,
    0,
  );
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  const known =
    /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$/;
  if (!known.test(digits)) return false;
  const doubled = Array.from(digits, Number).map((digit, index) =>
    (digits.length - index) % 2 === 1 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2,
  );
  return doubled.reduce((sum, digit) => sum + digit, 0) % 10 === 0;
}

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  // Day 0 of the next month is the last day of this one. 2000 is a leap year.
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const last = new Date(Date.UTC(isLeap ? 2000 : 2001, Number(month), 0)).getUTCDate();
  return month >= '01' && month <= '12' && Number(day) >= 1 && Number(day) <= last;
}

function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t');
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time);
  const [, hours = '', minutes = '', seconds = ''] = match ?? [];
  return match !== null && isDate(date) && hours <= '23' && minutes <= '59' && seconds <= '59';
}

const unitOfTime = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/;

/** Go's durations (`1h30m`), and those of Scala (`2 days`). */
function isDuration(text: string): boolean {
  if (/^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  const parts = [...text.matchAll(/\d+\s*([A-Za-zµ]+)/g)];
  return parts.some(([, unit = '']) => unitOfTime.test(unit.toLowerCase()));
}
