import {
  agoText,
  axisOf,
  changesOver,
  densityOf,
  densityPath,
  outagePlaces,
  placeOf,
  stateAsOf,
  thinnedPlaces,
  ticksPath,
  timeAfterKey,
  timeAt,
} from '../../page/history/time-line.js';

const now = 10_000_000;
const axis = axisOf(now - 300_000, now);
const key = (name: string, shiftKey = false): { readonly key: string; readonly shiftKey: boolean } => ({
  key: name,
  shiftKey,
});

describe('the time line of the dashboard', () => {
  it('reaches from the start of recording to now, at least a minute and at most an hour', () => {
    expect(axis).toEqual({ from: now - 300_000, until: now, recordedFrom: now - 300_000 });
    expect(axisOf(now - 5_000, now)).toEqual({ from: now - 60_000, until: now, recordedFrom: now - 5_000 });
    expect(axisOf(0, now)).toEqual({ from: now - 3_600_000, until: now, recordedFrom: now - 3_600_000 });
  });

  it('has outages at their places, cut at its ends; one that lasts reaches to now', () => {
    const status = { state: 'stopped' } as const;
    const outages = [
      { from: now - 900_000, until: now - 600_000, status },
      { from: now - 400_000, until: now - 150_000, status },
      { from: now - 75_000, until: undefined, status },
    ];
    expect(outagePlaces(outages, axis)).toEqual([
      { left: 0, width: 0.5 },
      { left: 0.75, width: 0.25 },
    ]);
  });

  it('names the time of the oldest part of the page, if an outage makes it older than the shown time', () => {
    expect(stateAsOf(now, [now, undefined, now])).toBeUndefined();
    expect(stateAsOf(now, [now, now - 33_000, now - 5_000])).toBe(now - 33_000);
  });

  it('is live at its right end, and shows nothing before the recording', () => {
    expect(timeAt(now, axis)).toBeUndefined();
    expect(timeAt(now - 1_000, axis)).toBeUndefined();
    expect(timeAt(now - 10_000, axis)).toBe(now - 10_000);
    expect(timeAt(0, axis)).toBe(now - 300_000);
  });

  it('moves with keys by one second, by ten, to the next mark, and to the ends', () => {
    const marks = [{ time: now - 100_000 }, { time: now - 50_000 }];
    const shown = now - 80_000;
    const after = (pressed: ReturnType<typeof key>): number | undefined | 'nothing' => {
      const moved = timeAfterKey(pressed, shown, axis, marks);
      return moved === undefined ? 'nothing' : moved.time && moved.time - now;
    };
    expect([key('ArrowLeft'), key('ArrowRight'), key('PageDown'), key('PageUp')].map(after)).toEqual([
      -81_000, -79_000, -90_000, -70_000,
    ]);
    expect([key('ArrowLeft', true), key('ArrowRight', true)].map(after)).toEqual([-100_000, -50_000]);
    expect([key('Home'), key('End'), key('a')].map(after)).toEqual([-300_000, undefined, 'nothing']);
    expect(timeAfterKey(key('ArrowLeft'), undefined, axis, marks)).toEqual({ time: now - 1_000 });
    expect(timeAfterKey(key('PageDown'), undefined, axis, marks)).toEqual({ time: now - 10_000 });
  });

  it('draws the number of changes in each part, without changes that are too old', () => {
    const versions = [
      { version: 1, time: now - 400_000, changes: 9 },
      { version: 2, time: now - 299_000, changes: 1 },
      { version: 3, time: now - 1, changes: 4 },
      { version: 4, time: now, changes: 2 },
    ];
    expect(densityOf(versions, axis, 3)).toEqual([1, 0, 6]);
    expect(densityPath([0, 4, 1])).toBe('M0 100V100.0H1V0.0H2V46.0H3V100Z');
  });

  it('takes changes from before this tab from the worker, and marks the times that were joined', () => {
    const outline = {
      since: now - 300_000,
      spans: [
        { time: now - 300_000, changes: 7, isThinned: true },
        { time: now - 270_000, changes: 5 },
        { time: now - 30_000, changes: 2 },
      ],
    };
    const versions = [
      { version: 1, time: now - 60_000, changes: 0 },
      { version: 2, time: now - 29_000, changes: 2 },
    ];
    expect(changesOver(outline, versions).map(({ changes }) => changes)).toEqual([7, 5, 0, 2]);
    expect(changesOver(outline, [])).toEqual([]);
    expect(thinnedPlaces(outline, axis)).toEqual([{ left: 0, width: 0.1 }]);
  });

  it('draws marks at the same position once', () => {
    expect(ticksPath([now - 150_000, now - 150_010, now - 900_000], axis, 'top')).toBe('M500 0V100');
    expect(placeOf(now - 150_000, axis)).toBe(0.5);
  });

  it.each([
    [12_400, '12s ago'],
    [182_000, '3m 02s ago'],
    [7_300_000, '2h ago'],
    [-5, '0s ago'],
  ])('shows %d ms ago as %s', (milliseconds, text) => {
    expect(agoText(now - milliseconds, now)).toBe(text);
  });
});
