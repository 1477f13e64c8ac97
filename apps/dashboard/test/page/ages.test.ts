import { ageText, durationText } from '../../page/text/age.js';

const now = Date.parse('2026-03-01T12:00:00Z');
const agoText = (milliseconds: number): string => ageText(now, new Date(now - milliseconds).toISOString());

describe('the age of an object', () => {
  it.each([
    [0, '0s'],
    [119_999, '119s'],
    [120_000, '2m'],
    [119 * 60_000, '119m'],
    [120 * 60_000, '2h'],
    [47 * 3_600_000, '47h'],
    [48 * 3_600_000, '2d'],
    [400 * 86_400_000, '400d'],
  ])('of %d ms is shown as %s', (milliseconds, text) => {
    expect(agoText(milliseconds)).toBe(text);
  });

  it('is never negative, even if the clock of the server is ahead', () => {
    expect([agoText(-1), agoText(-86_400_000 * 365), durationText(-Infinity)]).toEqual(['0s', '0s', '0s']);
  });

  it('is a dash if there is no time or an invalid one', () => {
    expect([ageText(now, undefined), ageText(now, 'yesterday'), ageText(now, '')]).toEqual(['–', '–', '–']);
  });
});
